/** `--demo`: the organization of all examples with a PostgreSQL of its own, so that everything can be tried at once. */
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { type DataFolder, secretIn } from './data-folder.ts';
import { Failure } from './failure.ts';
import { FIRST, FIRST_PASSWORD } from './first-organization.ts';
import { type KeptPostgres, keepPostgres } from './kept-postgres.ts';
import { freePort } from './ports.ts';
import { SUPERUSER } from './postgres-server.ts';

/** The endpoint has the name of the database and of its owner. */
const SHOP = FIRST.endpoint;
/** The role that reads: it owns nothing and changes nothing. */
const READER = 'shop_reader';
/** Lists of definitions, each made at its path: those that the examples of the API's description are about. */
const DEFINITIONS = [
  ['/templates', 'demo-templates.json'],
  ['/workflows', 'demo-workflows.json'],
] as const;

/** The demo's database server and what it takes to use it. */
export interface DemoDatabase {
  readonly server: KeptPostgres;
  /** As a role that owns the database `shop`; it may make roles and databases, and manage those alone. */
  readonly url: string;
  /** As a role that may only read. */
  readonly readerUrl: string;
  /** Started for the first time: most likely there is no organization yet. */
  readonly isNew: boolean;
}

/** Where the demo's server will listen: as last time where that can be, so that endpoints that people made on it go on working. */
export async function demoPort(folder: DataFolder): Promise<number> {
  const before = Number(await readFile(portFile(folder), 'utf8').catch(() => 0));
  return freePort('127.0.0.1', before).catch(() => freePort('127.0.0.1'));
}

/** Of a demo at this port, for the relay's list of what it may reach. */
export function demoAddress(port: number): string {
  return `127.0.0.1:${port}`;
}

function portFile(folder: DataFolder): string {
  return join(folder.path, 'demo/port');
}

/**
 * Starts the demo's server; its data stay in the folder.
 * @throws Failure also when another program took the port meanwhile
 */
export async function startDemoDatabase(folder: DataFolder, port: number): Promise<DemoDatabase> {
  const isNew = !existsSync(portFile(folder));
  await mkdir(join(folder.path, 'demo'), { recursive: true, mode: 0o700 });
  const [superuserPassword, password, readerPassword] = await Promise.all([
    secretIn(folder, 'demo/postgres-password'),
    secretIn(folder, 'demo/shop-password'),
    secretIn(folder, 'demo/reader-password'),
  ]);
  const server = await keepPostgres({
    folder: join(folder.path, 'demo/postgres'),
    password: superuserPassword,
    port,
    // A flag of the start, so that a folder of an earlier version has it too.
    settings: { max_connections: 50, max_prepared_transactions: 20 },
  });
  const address = demoAddress(port);
  const url = `postgresql://${SHOP}:${password}@${address}/${SHOP}`;
  const readerUrl = `postgresql://${READER}:${readerPassword}@${address}/${SHOP}`;
  try {
    if (server.port !== port) throw new Failure(`Another program took port ${port}: start again.`);
    await writeFile(portFile(folder), `${port}\n`, { mode: 0o600 });
    await fillShop(server, superuserPassword, { [SHOP]: password, [READER]: readerPassword });
  } catch (thrown) {
    await server.stop();
    throw thrown;
  }
  return { server, url, readerUrl, isNew };
}

async function fillShop(
  server: KeptPostgres,
  superuserPassword: string,
  passwords: Readonly<Record<typeof SHOP | typeof READER, string>>,
): Promise<void> {
  const { port } = server;
  // Loaded once the server has been started: it takes as long as that.
  const { default: pg } = await import('pg');
  const connect = async (user: string, database: string, password: string) => {
    const client = new pg.Client({ host: '127.0.0.1', port, user, database, password });
    await client.connect();
    return client;
  };
  const admin = await connect(SUPERUSER, SUPERUSER, superuserPassword);
  for (const [role, password] of Object.entries(passwords)) {
    const { rowCount } = await admin.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [role]);
    if (rowCount === 0) {
      await admin.query(`CREATE ROLE ${role} LOGIN PASSWORD ${admin.escapeLiteral(password)}`);
    }
  }
  // Row-level security is tried with roles, and a transaction with a second database: docs/access.md, docs/transactions.md.
  await admin.query(`ALTER ROLE ${SHOP} CREATEROLE CREATEDB`);
  const found = await admin.query('SELECT 1 FROM pg_database WHERE datname = $1', [SHOP]);
  if (found.rowCount === 0) await admin.query(`CREATE DATABASE ${SHOP} OWNER ${SHOP}`);
  await admin.end();
  await fillTables(await connect(SHOP, SHOP, passwords[SHOP]));
}

/** All tables with all rows, once; rights of the role that reads, each time. Ends the connection. */
async function fillTables(owner: pg.Client): Promise<void> {
  const filled = await owner.query<{ there: boolean }>(
    "SELECT to_regclass('order_items') IS NOT NULL AS there",
  );
  // One simple query is one transaction: all tables with all rows, or none.
  if (filled.rows[0]?.there !== true) {
    await owner.query(await readFile(join(import.meta.dirname, 'demo-shop.sql'), 'utf8'));
  }
  await owner.query(
    `GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${READER};
     ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT ON TABLES TO ${READER}`,
  );
  await owner.end();
}

/** What the first user logs in with. */
interface Login {
  readonly username: string;
  readonly password: string;
}

/**
 * Makes the first organization, its user, the endpoint, templates and workflows through the gateway's own
 * API, or brings the endpoint to the server's address of this start.
 * @param gateway address of the running gateway
 * @throws Failure when the organization is there under another password, or the gateway refuses
 */
export async function setUpDemo(
  gateway: string,
  folder: DataFolder,
  database: DemoDatabase,
  newOrgToken: string | undefined,
): Promise<void> {
  const login = { username: FIRST.username, password: await secretIn(folder, FIRST_PASSWORD) };
  // Each look at a password takes time, also of somebody who is not there.
  const known = database.isNew ? undefined : await logIn(gateway, login);
  const token = known ?? (await createOrganization(gateway, login, newOrgToken));
  if (token === undefined) {
    throw new Failure(
      `The organization ${FIRST.organization} is there, and ${FIRST.username} cannot log in to it with the password in ${join(folder.path, FIRST_PASSWORD)}: write the right one there, or choose another folder with --data.`,
    );
  }
  const authorization = `Bearer ${token}`;
  const config = { write_conn: { url: database.url }, read_conn: { url: database.readerUrl } };
  const found = await call(gateway, 'GET', `/endpoints/${SHOP}`, { authorization });
  const reply =
    found.status === 404
      ? await call(
          gateway,
          'POST',
          '/endpoints',
          { authorization },
          {
            endpoint: SHOP,
            kind: 'postgres',
            description: 'Customers, products and orders of a small shop',
            config,
          },
        )
      : await call(gateway, 'PATCH', `/endpoints/${SHOP}`, { authorization }, { config });
  if (!reply.ok) throw await refused(`the endpoint ${SHOP}`, reply);
  for (const [path, file] of DEFINITIONS) await makeAll(gateway, authorization, path, file);
}

/** One that is there already may have been changed: it stays as it is. */
async function makeAll(
  gateway: string,
  authorization: string,
  path: string,
  file: string,
): Promise<void> {
  const text = await readFile(join(import.meta.dirname, file), 'utf8');
  for (const definition of JSON.parse(text) as object[]) {
    // The file is a list of definitions.
    const reply = await call(gateway, 'POST', path, { authorization }, definition);
    if (!reply.ok && reply.status !== 409) throw await refused(`what ${file} defines`, reply);
  }
}

/** A token, or undefined when organization, user or password is not right. */
async function logIn(gateway: string, { username, password }: Login) {
  const basic = Buffer.from(`${username}:${password}`).toString('base64');
  const reply = await call(gateway, 'POST', '/auth/login', {
    authorization: `Basic ${basic}`,
    'x-org-id': FIRST.organization,
  });
  if (reply.status === 401) return undefined;
  if (!reply.ok) throw await refused('the login', reply);
  const body: unknown = await reply.json();
  if (
    typeof body === 'object' &&
    body !== null &&
    'token' in body &&
    typeof body.token === 'string'
  ) {
    return body.token;
  }
  throw new Failure('The demo could not be set up: the login answered no token.');
}

async function createOrganization(gateway: string, login: Login, newOrgToken: string | undefined) {
  const headers: Record<string, string> = newOrgToken
    ? { authorization: `Bearer ${newOrgToken}` }
    : {};
  const reply = await call(gateway, 'POST', '/new', headers, {
    id: FIRST.organization,
    description: 'Made by --demo',
    super_admins: [login],
  });
  // 409: the organization is there, and its password is another; the login that follows says so.
  if (!reply.ok && reply.status !== 409) throw await refused('the organization', reply);
  return logIn(gateway, login);
}

function call(
  gateway: string,
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: object,
): Promise<Response> {
  return fetch(`${gateway}/api/v1${path}`, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

async function refused(what: string, reply: Response): Promise<Failure> {
  return new Failure(
    `The demo could not be set up: ${what} was answered with ${reply.status} ${await reply.text()}`,
  );
}
