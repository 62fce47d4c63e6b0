/**
 * The organization that the requests are sent for. Some of them destroy it: what is gone is made
 * again at once, so that no operation has to be left out.
 */
import { SAMPLE } from '../../worker/http/sample.ts';
import { call, logIn, must, textAt } from './calls.ts';

/** The same for all accounts of the attacker. */
export const PASSWORD = 'a password of the attacker';
/** Endpoints that are there before each request; the first is the one that examples are about. */
export const ENDPOINTS = [SAMPLE.endpoint, 'spare'] as const;

/** The organization as it is now. */
export interface Attacker {
  readonly organization: string;
  /** A SuperAdmin, whose token the requests carry. */
  readonly self: Member;
  readonly token: string;
  /** Another SuperAdmin, so that `self` can be removed. */
  readonly colleague: Member;
  /** Has Read. */
  readonly reader: Member;
  readonly readerToken: string;
  /** The first endpoint, as it was made. */
  readonly endpoint: { readonly uuid: string; readonly updated: string };
}

/** A user of the organization. */
export interface Member {
  readonly name: string;
  readonly uuid: string;
}

/** Makes and mends the attacker's organization on a gateway. */
export class AttackerMaker {
  readonly #gateway: string;
  readonly #database: string;
  #made = 0;
  #attacker: Attacker | undefined;

  constructor(gateway: string, database: string) {
    this.#gateway = gateway;
    this.#database = database;
  }

  /** How many organizations there have been. */
  get made(): number {
    return this.#made;
  }

  /** The organization as it was when it was last looked at; made when there is none yet. */
  async current(): Promise<Attacker> {
    this.#attacker ??= await this.#found();
    return this.#attacker;
  }

  /**
   * Makes again what is no longer as it was.
   * @param renewed makes the first endpoint anew although nothing of it can be seen to have changed
   */
  async mend(renewed: boolean): Promise<void> {
    const attacker = await this.current();
    const isWhole = await this.#stands(attacker);
    // An organization that may have no more endpoints is as good as gone.
    const mended = isWhole && (await this.#mendEndpoints(attacker, renewed).catch(() => undefined));
    this.#attacker = mended || (await this.#found());
  }

  async #mendEndpoints(attacker: Attacker, renewed: boolean): Promise<Attacker> {
    const { token, endpoint } = attacker;
    const [first, second] = ENDPOINTS;
    const other = await call(this.#gateway, 'GET', `/endpoints/${second}`, { token });
    if (other.status === 404) await this.#remake(token, second);
    const found = await call(this.#gateway, 'GET', `/endpoints/${first}`, { token });
    const isSame =
      found.status === 200 && textAt(found.body, 'data', 'updated_at') === endpoint.updated;
    if (isSame && !renewed) return attacker;
    return { ...attacker, endpoint: await this.#remake(token, first) };
  }

  async #stands({ token, self, colleague, reader }: Attacker): Promise<boolean> {
    const levels = [];
    for (const { uuid } of [self, colleague, reader]) {
      const { status, body } = await call(this.#gateway, 'GET', `/iam/users/${uuid}`, { token });
      levels.push(status === 200 ? textAt(body, 'accessLevel') : status);
    }
    return levels.join() === 'SuperAdmin,SuperAdmin,Read';
  }

  /** Names are new each time: accounts of the last one may be gone, or have another password. */
  async #found(): Promise<Attacker> {
    this.#made += 1;
    const organization = `attackers-${this.#made}`;
    const [self, colleague, reader] = ['mallory', 'trudy', 'eve'].map(
      (name) => `${name}-${this.#made}@example.com`,
    ) as [string, string, string]; // As many as there are names.
    const super_admins = [self, colleague].map((username) => ({ username, password: PASSWORD }));
    await must(this.#gateway, 'POST', '/new', { body: { id: organization, super_admins } });
    const token = await this.#logIn(organization, self);
    const body = { username: reader, password: PASSWORD, access_level: 'Read' };
    await must(this.#gateway, 'POST', '/iam/users', { token, body });
    const memberOf = async (name: string): Promise<Member> => {
      const user = await must(this.#gateway, 'GET', `/iam/users/${name}`, { token });
      return { name, uuid: textAt(user, 'uuid') };
    };
    const endpoint = await this.#remake(token, ENDPOINTS[0]);
    await this.#remake(token, ENDPOINTS[1]);
    return {
      organization,
      self: await memberOf(self),
      token,
      colleague: await memberOf(colleague),
      reader: await memberOf(reader),
      readerToken: await this.#logIn(organization, reader),
      endpoint,
    };
  }

  #logIn(organization: string, username: string): Promise<string> {
    return logIn(this.#gateway, { organization, username, password: PASSWORD });
  }

  async #remake(token: string, endpoint: string): Promise<Attacker['endpoint']> {
    await call(this.#gateway, 'DELETE', `/endpoints/${endpoint}`, { token });
    const config = { write_conn: { url: this.#database } };
    const body = { endpoint, kind: 'postgres', config };
    await must(this.#gateway, 'POST', '/endpoints', { token, body });
    const made = await must(this.#gateway, 'GET', `/endpoints/${endpoint}`, { token });
    return { uuid: textAt(made, 'data', 'uuid'), updated: textAt(made, 'data', 'updated_at') };
  }
}
