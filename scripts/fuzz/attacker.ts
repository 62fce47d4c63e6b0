/**
 * The organization that the requests are sent for. Some of them destroy it: what is gone is made
 * again at once, so that no operation has to be left out.
 */
import { call, logIn, must, textAt } from './calls.ts';

/** The same for all accounts of the attacker. */
export const PASSWORD = 'a password of the attacker';
/** Endpoints that are there before each request. */
export const ENDPOINTS = ['main', 'spare'] as const;

/** The organization as it is now. */
export interface Attacker {
  readonly organization: string;
  /** A SuperAdmin, whose token the requests carry. */
  readonly self: string;
  readonly token: string;
  /** Another SuperAdmin, so that `self` can be removed. */
  readonly colleague: string;
  /** A member with Read, and his token. */
  readonly reader: string;
  readonly readerToken: string;
  /** What `updated_at` says of the first endpoint as it was made. */
  readonly updated: string;
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
    const { token, updated } = attacker;
    const [first, second] = ENDPOINTS;
    const other = await call(this.#gateway, 'GET', `/endpoints/${second}`, { token });
    if (other.status === 404) await this.#remake(token, second);
    const found = await call(this.#gateway, 'GET', `/endpoints/${first}`, { token });
    const isSame = found.status === 200 && textAt(found.body, 'data', 'updated_at') === updated;
    if (isSame && !renewed) return attacker;
    return { ...attacker, updated: await this.#remake(token, first) };
  }

  async #stands({ token, self, colleague, reader }: Attacker): Promise<boolean> {
    const levels = [];
    for (const user of [self, colleague, reader]) {
      const { status, body } = await call(this.#gateway, 'GET', `/iam/users/${user}`, { token });
      levels.push(status === 200 ? textAt(body, 'accessLevel') : status);
    }
    return levels.join() === 'SuperAdmin,SuperAdmin,Read';
  }

  /** Names are new each time: accounts of the last one may be gone, or have another password. */
  async #found(): Promise<Attacker> {
    this.#made += 1;
    const named = (name: string) => `${name}-${this.#made}`;
    const organization = named('attackers');
    const [self, colleague, reader] = [named('mallory'), named('trudy'), named('eve')] as const;
    await must(this.#gateway, 'POST', '/new', {
      body: { id: organization, super_admins: [{ username: self, password: PASSWORD }] },
    });
    const token = await this.#logIn(organization, self);
    for (const [username, access_level] of [
      [colleague, 'SuperAdmin'],
      [reader, 'Read'],
    ]) {
      const body = { username, password: PASSWORD, access_level };
      await must(this.#gateway, 'POST', '/iam/users', { token, body });
    }
    const readerToken = await this.#logIn(organization, reader);
    const updated = await this.#remake(token, ENDPOINTS[0]);
    await this.#remake(token, ENDPOINTS[1]);
    return { organization, self, token, colleague, reader, readerToken, updated };
  }

  #logIn(organization: string, username: string): Promise<string> {
    return logIn(this.#gateway, { organization, username, password: PASSWORD });
  }

  async #remake(token: string, endpoint: string): Promise<string> {
    await call(this.#gateway, 'DELETE', `/endpoints/${endpoint}`, { token });
    const config = { write_conn: { url: this.#database } };
    const body = { endpoint, kind: 'postgres', config };
    await must(this.#gateway, 'POST', '/endpoints', { token, body });
    const made = await must(this.#gateway, 'GET', `/endpoints/${endpoint}`, { token });
    return textAt(made, 'data', 'updated_at');
  }
}
