/** Events of identities, made at random and done to two organizations and to the model alike. */
import fc from 'fast-check';
import { expect } from 'vitest';
import type { Json } from '../../../proto/json.ts';
import { tryLogin } from '../accounts.ts';
import { startGateway, type TestGateway } from '../gateway.ts';
import { mailbox } from '../mailbox.ts';
import { Model, type Person } from './model.ts';

const REDIRECT = 'https://app.test/reset';
/** Milliseconds that pass: mostly none, so that times cannot tell what came first. */
const PASSING = [0, 0, 1, 1_000];
/** Tokens that are looked at after each event: the youngest. */
const LOOKED_AT = 8;
const organization = fc.nat({ max: 1 });
const name = fc.nat({ max: 6 });
const which = fc.nat({ max: 7 });
const often = <Each>(weight: number, arbitrary: fc.Arbitrary<Each>) => ({ weight, arbitrary });

/** One event. */
export const command = fc.oneof(
  often(1, fc.record({ do: fc.constant('create' as const), organization, name })),
  often(4, fc.record({ do: fc.constant('rename' as const), which, name })),
  often(2, fc.record({ do: fc.constant('start a reset' as const), which })),
  often(
    3,
    fc.record({ do: fc.constant('complete a reset' as const), which, byUuid: fc.boolean() }),
  ),
  often(1, fc.record({ do: fc.constant('change the password' as const), which })),
  often(3, fc.record({ do: fc.constant('add' as const), organization, which })),
  often(2, fc.record({ do: fc.constant('remove' as const), organization, which })),
  often(6, fc.record({ do: fc.constant('log in' as const), organization, which })),
  often(2, fc.record({ do: fc.constant('refresh' as const), which })),
  often(1, fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(...PASSING) })),
);
type Command = typeof command extends fc.Arbitrary<infer Each> ? Each : never;

/** Two organizations of one installation, with one mailbox and one clock. */
export class World {
  readonly model = new Model();
  /** How often what matters most really happened. */
  readonly done = new Map<string, number>();
  readonly #names: readonly string[];
  readonly #gateways: readonly TestGateway[];
  readonly #box: ReturnType<typeof mailbox>;
  #passwords = 0;

  constructor(gateways: readonly TestGateway[], box: ReturnType<typeof mailbox>) {
    this.#gateways = gateways;
    this.#box = box;
    const own = crypto.randomUUID().slice(0, 8);
    // Two are one name in two spellings.
    const names = ['ada', 'bruno', 'carla', 'dora', 'Dora', 'erik', 'fritz'];
    this.#names = names.map((each) => `${each}@${own}.test`);
  }

  static async make(): Promise<World> {
    const box = mailbox();
    const gateways = [await startGateway('SuperAdmin', box.setup)];
    gateways.push(await startGateway('SuperAdmin', box.setup));
    const world = new World(gateways, box);
    for (const own of [0, 1]) await world.run({ do: 'create', organization: own, name: own });
    for (const own of [0, 1]) await world.run({ do: 'log in', organization: own, which: own });
    return world;
  }

  /** Does it to both, and expects the model's answer. */
  async run(asked: Command): Promise<void> {
    switch (asked.do) {
      case 'create':
        return this.#create(asked.organization, this.#name(asked.name));
      case 'rename':
        return this.#rename(pick(this.model.people, asked.which), this.#name(asked.name));
      case 'start a reset':
        return this.#startReset(pick(this.model.people, asked.which)?.name ?? this.#name(0));
      case 'complete a reset':
        return this.#completeReset(asked.which, asked.byUuid);
      case 'change the password':
        return this.#changePassword(pick(this.model.people, asked.which));
      case 'add':
        return this.#add(asked.organization, pick(this.model.people, asked.which)?.name ?? '-');
      case 'remove':
        return this.#remove(asked.organization, pick(this.model.people, asked.which));
      case 'log in':
        return this.#logIn(asked.organization, pick(this.model.people, asked.which));
      case 'refresh':
        return this.#refresh(asked.which);
      case 'wait':
        for (const { clock } of this.#gateways) clock.now += asked.ms;
    }
  }

  /** What each token opens, as against the model. */
  async tokens(): Promise<{ readonly seen: unknown[]; readonly promised: unknown[] }> {
    const seen: unknown[] = [];
    const promised: unknown[] = [];
    for (const [at, { text, organization: own, isAlive }] of this.model.tokens
      .slice(-LOOKED_AT)
      .entries()) {
      const { status } = await this.#gateway(own).call('GET', '/help', undefined, text);
      seen.push([at, status]);
      promised.push([at, isAlive ? 200 : 401]);
    }
    return { seen, promised };
  }

  async #create(own: number, username: string): Promise<void> {
    const gateway = this.#gateway(own);
    const password = this.#newPassword();
    const { status } = await gateway.call('POST', '/iam/users', { username, password });
    expect(status).toBe(this.model.named(username) ? 409 : 200);
    if (status !== 200) return;
    const { body } = await gateway.call('GET', `/iam/users/${username}`);
    const { uuid } = body as { readonly uuid: string };
    this.model.people.push({
      uuid,
      name: username,
      password,
      isVerified: false,
      namedBy: own,
      memberOf: new Set([own]),
    });
  }

  async #rename(person: Person | undefined, username: string): Promise<void> {
    const holder = this.model.named(username);
    const status = await this.#patch(person, { username });
    if (!person || status === undefined) return;
    expect(status).toBe(holder === undefined || holder === person ? 200 : 409);
    if (status !== 200) return;
    this.#count(person.name === username ? 'kept the name' : 'renamed');
    this.model.rename(person, username);
  }

  async #changePassword(person: Person | undefined): Promise<void> {
    const password = this.#newPassword();
    const body = { password, current_password: person?.password ?? '' };
    const status = await this.#patch(person, body);
    if (!person || status === undefined) return;
    expect(status).toBe(200);
    this.model.setPassword(person, password);
  }

  /** By a token of their own, where they have one; tokens that ended change nothing. */
  async #patch(person: Person | undefined, body: Json): Promise<number | undefined> {
    if (!person) return undefined;
    const own = this.model.tokens.filter((each) => each.person === person);
    const ended = own.find(({ isAlive }) => !isAlive);
    const patch = async ({ text, organization: at }: (typeof own)[number]) =>
      (await this.#gateway(at).call('PATCH', `/iam/users/${person.uuid}`, body, text)).status;
    if (ended) expect(await patch(ended)).toBe(401);
    const alive = own.find(({ isAlive }) => isAlive);
    return alive && patch(alive);
  }

  async #startReset(email: string): Promise<void> {
    const before = this.#box.delivered.length;
    const [gateway] = this.#gateways;
    await gateway?.call('POST', '/auth/password/reset', { email, redirectUrl: REDIRECT }, '');
    await gateway?.settle();
    const person = this.model.named(email);
    expect(this.#box.delivered.slice(before).map(({ mail }) => mail.to)).toEqual(
      person ? [person.name] : [],
    );
    if (!person) return;
    const token = this.#box.token();
    this.model.resets.push({ token, person, sentTo: person.name, isOpen: true });
  }

  async #completeReset(which: number, byUuid: boolean): Promise<void> {
    // The youngest every other time: most others have ended.
    const reset = which % 2 === 0 ? this.model.resets.at(-1) : pick(this.model.resets, which);
    if (!reset) return;
    const { token, person, isOpen, sentTo } = reset;
    const password = this.#newPassword();
    const username = byUuid ? person.uuid : person.name;
    const body = { username, token, new_password: password };
    const reply = await this.#gateways[0]?.call('POST', '/auth/password/reset', body, '');
    expect(reply?.status).toBe(isOpen ? 200 : 400);
    if (!isOpen) return;
    // Who read the mail of this very name, and nobody else, has the account from now on.
    expect(sentTo).toBe(person.name);
    this.#count('completed a reset');
    this.model.setPassword(person, password);
    person.isVerified = true;
  }

  async #add(own: number, username: string): Promise<void> {
    const person = this.model.named(username);
    const { status } = await this.#gateway(own).call('POST', '/iam/users', ['Read', username]);
    if (!person) expect(status).toBe(404);
    else if (person.memberOf.has(own) || !this.model.mayJoin(person, own)) expect(status).toBe(409);
    else {
      expect(status).toBe(200);
      person.memberOf.add(own);
      this.#count('added');
    }
  }

  async #remove(own: number, person: Person | undefined): Promise<void> {
    if (!person) return;
    const { status } = await this.#gateway(own).call('DELETE', `/iam/users/${person.uuid}`);
    expect(status).toBe(person.memberOf.has(own) ? 200 : 404);
    this.model.remove(person, own);
  }

  async #logIn(own: number, person: Person | undefined): Promise<void> {
    if (!person) return;
    const { name: user, password, memberOf } = person;
    // Where they are a member, mostly: else little would happen.
    const at = memberOf.size === 1 ? ([...memberOf][0] ?? own) : own;
    const { status, body } = await tryLogin(this.#gateway(at), { user, password });
    expect(status).toBe(memberOf.has(at) ? 200 : 401);
    if (status !== 200) return;
    const { token: text } = body as { readonly token: string };
    this.model.tokens.push({ text, organization: at, person, isAlive: true });
  }

  async #refresh(which: number): Promise<void> {
    const token = pick(this.model.tokens, which);
    if (!token) return;
    const gateway = this.#gateway(token.organization);
    const { status, body } = await gateway.call('POST', '/auth/refresh', undefined, token.text);
    expect(status).toBe(token.isAlive ? 200 : 401);
    if (status !== 200) return;
    const { token: text } = body as { readonly token: string };
    this.model.tokens.push({ ...token, text });
  }

  #count(what: string): void {
    this.done.set(what, (this.done.get(what) ?? 0) + 1);
  }

  #name(at: number): string {
    return this.#names[at] ?? '';
  }

  #gateway(at: number): TestGateway {
    const gateway = this.#gateways[at];
    if (!gateway) throw new Error(`There is no gateway ${at}`);
    return gateway;
  }

  #newPassword(): string {
    this.#passwords += 1;
    return `password number ${this.#passwords}`;
  }
}

function pick<Each>(all: readonly Each[], which: number): Each | undefined {
  return all[which % Math.max(1, all.length)];
}
