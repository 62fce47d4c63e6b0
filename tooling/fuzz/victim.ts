/** The organization about which nothing may be revealed. */
import { randomBytes } from 'node:crypto';
import { logIn, must, textAt } from './calls.ts';

/** What may not appear in a reply, and the names that a stranger asks by. */
export interface Victim {
  /** Stand in no request: wherever one of them appears, something was told. */
  readonly marks: readonly string[];
  /** Known to the attacker: the organization's id, an endpoint's id and UUID, a template's id, a user's name. */
  readonly organization: string;
  readonly endpoint: string;
  readonly endpointUuid: string;
  readonly template: string;
  readonly username: string;
}

/** A mark that is a name of PostgreSQL, a host name and a JSON string alike. */
export function newSecret(): string {
  return `vault${randomBytes(8).toString('hex')}`;
}

/**
 * Makes it, with the secret in each text that can be chosen.
 * @param database URL of its database, which holds the secret too
 */
export async function makeVictim(
  gateway: string,
  secret: string,
  database: string,
): Promise<Victim> {
  const names = {
    organization: 'neighbour',
    endpoint: 'ledger',
    template: 'statement',
    username: 'ruth',
  };
  const [password, hidden] = [secret, `${secret}@example.com`];
  const super_admins = [
    { username: names.username, password, description: secret },
    { username: hidden, password, description: secret },
  ];
  const body = { id: names.organization, description: secret, super_admins };
  const created = await must(gateway, 'POST', '/new', { body });
  const token = await logIn(gateway, { ...names, password });
  await must(gateway, 'PATCH', '/organizations', {
    token,
    body: { name: secret, settings: { defaultRegion: secret } },
  });
  const add = async (endpoint: string) => {
    const config = { write_conn: { url: database } };
    const options = { token, body: { endpoint, kind: 'postgres', description: secret, config } };
    return textAt(await must(gateway, 'POST', '/endpoints', options), 'data', 'uuid');
  };
  const endpointUuid = await add(names.endpoint);
  const hiddenUuid = await add(`${secret}-endpoint`);
  await must(gateway, 'POST', '/templates', {
    token,
    body: {
      id: names.template,
      name: secret,
      request: 'Read',
      template: { endpoint: names.endpoint, query: `SELECT note FROM ${secret}` },
    },
  });
  await must(gateway, 'POST', '/iam/rbac/organizations/subjects', {
    token,
    body: { subject: `group:${secret}`, access_level: 'Read' },
  });
  const users = await must(gateway, 'GET', '/iam/users', { token });
  const userUuids = [0, 1].map((at) => textAt(users, 'users', at, 'uuid'));
  const [orgUuid = ''] =
    /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/.exec(textAt(created, 'Ok')) ?? [];
  return { ...names, endpointUuid, marks: [secret, hiddenUuid, orgUuid, ...userUuids] };
}
