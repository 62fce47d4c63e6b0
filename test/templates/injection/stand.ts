/** What an attack is tried on: templates at one endpoint, and what they must not change. */
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { type Json, parseJson } from '../../../proto/json.ts';
import type { Organization, Reply } from '../../organization.ts';
import { backend } from '../../servers/backends.ts';

/** Templates of one organization. */
export interface Templates {
  /** Makes a template; answers its id. */
  make(request: 'Read' | 'Write' | 'Transaction', template: object): Promise<string>;
  run(id: string, input: object): Promise<Reply>;
  /** The output of a run that succeeds; numbers keep their digits. */
  output(id: string, input: object | string): Promise<Json>;
}

/** Templates of an organization. */
export function templatesOf(organization: Organization): Templates {
  return {
    async make(request, template) {
      const id = `t-${randomUUID().slice(0, 8)}`;
      const reply = await organization.call('POST', '/templates', { id, request, template });
      expect(reply).toMatchObject({ status: 200, body: { id } });
      return id;
    },
    run: (id, input) => organization.call('POST', `/templates/${id}`, input),
    async output(id, input) {
      const reply = await organization.send('POST', `/templates/${id}`, input);
      const text = await reply.text();
      expect([reply.status, text, input]).toEqual([200, text, input]);
      return parseJson(text);
    },
  };
}

/** Makes an endpoint; answers its id. */
export async function addEndpoint(
  organization: Organization,
  kind: string,
  config: object,
): Promise<string> {
  const endpoint = `e-${randomUUID().slice(0, 8)}`;
  const reply = await organization.call('POST', '/endpoints', { endpoint, kind, config });
  expect(reply).toMatchObject({ status: 200 });
  return endpoint;
}

/** Kinds whose statements have parameters, and how a database of your own is made in each. */
const HOMES = {
  postgres: (name: string) => `CREATE SCHEMA ${name}`,
  mysql: (name: string) => `CREATE DATABASE ${name} CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
  clickhouse: (name: string) => `CREATE DATABASE ${name}`,
  cassandra: (name: string) =>
    `CREATE KEYSPACE ${name} WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}`,
};
export type SqlKind = keyof typeof HOMES;

/** Makes an endpoint on a new database, and what it holds; answers its id. */
export async function addDatabase(
  organization: Organization,
  kind: SqlKind,
  requests: readonly object[],
): Promise<string> {
  const { url } = await backend(kind);
  const name = `inj_${randomUUID().replaceAll('-', '')}`;
  const add = (href: string) => addEndpoint(organization, kind, { write_conn: { url: href } });
  const write = async (at: string, body: object) => {
    const reply = await organization.call('POST', `/endpoints/${at}/write`, body);
    expect(reply).toMatchObject({ status: 200 });
  };
  const type = kind === 'clickhouse' ? 'ddl' : 'query';
  await write(await add(url), { type, query: HOMES[kind](name) });
  const own = new URL(url);
  if (kind === 'postgres') own.searchParams.set('options', `-csearch_path=${name}`);
  else own.pathname = `/${name}`;
  const endpoint = await add(own.href);
  for (const each of requests) await write(endpoint, each);
  return endpoint;
}
