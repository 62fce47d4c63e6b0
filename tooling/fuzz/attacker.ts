/**
 * The organization that the requests are sent for. Some of them destroy it: what is gone is made
 * again at once, so that no operation has to be left out.
 */
import { SAMPLE } from '../../worker/shapes/sample.ts';
import { CREATE, CREATE_ACCESS } from '../../worker/templates/examples.ts';
import { call, logIn, must, textAt } from './calls.ts';

/** The same for all accounts of the attacker. */
export const PASSWORD = 'a password of the attacker';
/** Endpoints that are there before each request; the first is the one that examples are about, the last is of Redis. */
export const ENDPOINTS = [SAMPLE.endpoint, 'spare', 'cache'] as const;
/** Templates that are there before each request: a transformation, and data access. */
export const TEMPLATES = [SAMPLE.template, CREATE_ACCESS.id] as const;

/** URLs of what the endpoints are of. */
export interface Backends {
  readonly postgres: string;
  readonly redis: string;
}

/** What names an endpoint as it was made. */
interface Made {
  readonly uuid: string;
  readonly updated: string;
}

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
  /** By name, as they were made. */
  readonly endpoints: Readonly<Record<(typeof ENDPOINTS)[number], Made>>;
}

/** A user of the organization. */
interface Member {
  readonly name: string;
  readonly uuid: string;
}

/** Makes and mends the attacker's organization on a gateway. */
export class AttackerMaker {
  readonly #gateway: string;
  readonly #backends: Backends;
  #made = 0;
  #attacker: Attacker | undefined;

  constructor(gateway: string, backends: Backends) {
    this.#gateway = gateway;
    this.#backends = backends;
  }

  /** How many organizations there have been. */
  get made(): number {
    return this.#made;
  }

  /** The organization as it was when it was last looked at; made when it does not exist yet. */
  async current(): Promise<Attacker> {
    this.#attacker ??= await this.#found();
    return this.#attacker;
  }

  /**
   * Makes again what is no longer as it was.
   * @param renewed makes the first endpoint again although none of it can be seen to have changed
   */
  async mend(renewed: boolean): Promise<void> {
    const attacker = await this.current();
    const isWhole = await this.#stands(attacker);
    // An organization that may have no more of something is as good as gone.
    const mended = isWhole && (await this.#mendThings(attacker, renewed).catch(() => undefined));
    this.#attacker = mended || (await this.#found());
  }

  async #mendThings({ token, endpoints, ...rest }: Attacker, renewed: boolean): Promise<Attacker> {
    const mended = { ...endpoints };
    for (const [index, name] of ENDPOINTS.entries()) {
      const found = await call(this.#gateway, 'GET', `/endpoints/${name}`, { token });
      const isSame =
        found.status === 200 &&
        textAt(found.body, 'data', 'updated_at') === endpoints[name].updated;
      if (isSame && !(renewed && index === 0)) continue;
      mended[name] = await this.#remake(token, name);
    }
    await this.#makeTemplates(token);
    return { ...rest, token, endpoints: mended };
  }

  /** Those that are not there; of one that was changed, the old version is still to be run. */
  async #makeTemplates(token: string): Promise<void> {
    for (const body of [{ ...CREATE, id: SAMPLE.template }, CREATE_ACCESS]) {
      const { status } = await call(this.#gateway, 'GET', `/templates/${body.id}`, { token });
      if (status === 404) await must(this.#gateway, 'POST', '/templates', { token, body });
    }
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
    const endpoints = {
      shop: await this.#remake(token, 'shop'),
      spare: await this.#remake(token, 'spare'),
      cache: await this.#remake(token, 'cache'),
    };
    await this.#makeTemplates(token);
    return {
      organization,
      self: await memberOf(self),
      token,
      colleague: await memberOf(colleague),
      reader: await memberOf(reader),
      readerToken: await this.#logIn(organization, reader),
      endpoints,
    };
  }

  #logIn(organization: string, username: string): Promise<string> {
    return logIn(this.#gateway, { organization, username, password: PASSWORD });
  }

  async #remake(token: string, endpoint: (typeof ENDPOINTS)[number]): Promise<Made> {
    await call(this.#gateway, 'DELETE', `/endpoints/${endpoint}`, { token });
    const kind = endpoint === 'cache' ? 'redis' : 'postgres';
    const config = { write_conn: { url: this.#backends[kind] } };
    await must(this.#gateway, 'POST', '/endpoints', { token, body: { endpoint, kind, config } });
    const made = await must(this.#gateway, 'GET', `/endpoints/${endpoint}`, { token });
    return { uuid: textAt(made, 'data', 'uuid'), updated: textAt(made, 'data', 'updated_at') };
  }
}
