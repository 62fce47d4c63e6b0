/** Members of an organization who are logged in. */
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { ask, type Organization, type Reply } from '../organization.ts';

/** A member, and calls as them; `path` is below /api/v1. */
export interface Person {
  readonly username: string;
  call(
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Reply>;
}

/** Adds a member with that level on the organization, or with none. */
export async function addPerson(organization: Organization, level?: string): Promise<Person> {
  const { gateway, id } = organization;
  const username = `user-${randomUUID()}@example.com`;
  const password = 'a password for a member';
  const user = { username, password, ...(level === undefined ? {} : { access_level: level }) };
  expect(await organization.call('POST', '/iam/users', user)).toMatchObject({ status: 200 });
  const login = await ask(gateway, 'GET', '/auth/login', undefined, {
    Authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
    'X-Org-Id': id,
  });
  const { token } = login.body as { token: string };
  return {
    username,
    call: (method, path, body, headers) =>
      ask(gateway, method, path, body, { Authorization: `Bearer ${token}`, ...headers }),
  };
}

/** Gives a member a level on one template or endpoint. */
export async function grant(
  organization: Organization,
  { username }: Person,
  on: { readonly template_id: string } | { readonly endpoint_id: string },
  level: string,
): Promise<void> {
  const kind = 'template_id' in on ? 'templates' : 'endpoints';
  const rule = { ...on, subject: username, access_level: level };
  const reply = await organization.call('POST', `/iam/rbac/${kind}/subjects`, rule);
  expect(reply).toMatchObject({ status: 200 });
}
