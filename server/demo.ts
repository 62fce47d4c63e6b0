/** `--demo`: an organization with a PostgreSQL of its own, so that everything can be tried at once. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { type DataFolder, secretIn } from './data-folder.ts';
import { Failure } from './failure.ts';
import { type PostgresServer, SUPERUSER, startPostgres } from './postgres-server.ts';

/** The demo's organization, and its user's name. */
export const DEMO_NAME = 'demo';
/** The endpoint, its database, and the database's owner. */
const SHOP = 'shop';
/** The first transformation of docs/templates.md; its id is made of its name. */
const TEMPLATE = 'demo-order-totals.json';

/** The demo's database server and what it takes to use it. */
export interface DemoDatabase {
  readonly server: PostgresServer;
  /** As an ordinary user who owns the database `shop` and nothing else. */
  readonly url: string;
  /** `host:port`, for the relay's list of what it may reach. */
  readonly address: string;
}

/** Starts the demo's server; its data stay in the folder. */
export async function startDemoDatabase(folder: DataFolder): Promise<DemoDatabase> {
  await mkdir(join(folder.path, 'demo'), { recursive: true, mode: 0o700 });
  const [superuserPassword, password] = await Promise.all([
    secretIn(folder, 'demo/postgres-password'),
    secretIn(folder, 'demo/shop-password'),
  ]);
  const portFile = join(folder.path, 'demo/port');
  const server = await startPostgres({
    folder: join(folder.path, 'demo/postgres'),
    password: superuserPassword,
    // The same as last time where that can be: endpoints that people made on it go on working.
    port: Number(await readFile(portFile, 'utf8').catch(() => 0)),
    settings: { max_connections: 50 },
  });
  await writeFile(portFile, `${server.port}\n`, { mode: 0o600 });
  const address = `127.0.0.1:${server.port}`;
  const url = `postgresql://${SHOP}:${password}@${address}/${SHOP}`;
  try {
    await fillShop(server, superuserPassword, password);
  } catch (thrown) {
    await server.stop();
    throw thrown;
  }
  return { server, url, address };
}

async function fillShop(server: PostgresServer, superuserPassword: string, password: string) {
  const connect = async (user: string, database: string, secret: string) => {
    const client = new pg.Client({
      host: '127.0.0.1',
      port: server.port,
      user,
      database,
      password: secret,
    });
    await client.connect();
    return client;
  };
  const admin = await connect(SUPERUSER, SUPERUSER, superuserPassword);
  const { rowCount } = await admin.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [SHOP]);
  if (rowCount === 0) {
    await admin.query(`CREATE ROLE ${SHOP} LOGIN PASSWORD ${admin.escapeLiteral(password)}`);
  }
  const found = await admin.query('SELECT 1 FROM pg_database WHERE datname = $1', [SHOP]);
  if (found.rowCount === 0) await admin.query(`CREATE DATABASE ${SHOP} OWNER ${SHOP}`);
  await admin.end();
  const owner = await connect(SHOP, SHOP, password);
  const filled = await owner.query<{ there: boolean }>(
    "SELECT to_regclass('order_items') IS NOT NULL AS there",
  );
  // One simple query is one transaction: all tables with all rows, or none.
  if (filled.rows[0]?.there !== true) {
    await owner.query(await readFile(join(import.meta.dirname, 'demo-shop.sql'), 'utf8'));
  }
  await owner.end();
}

/** What the demo's user logs in with. */
export interface DemoLogin {
  readonly username: string;
  readonly password: string;
}

/**
 * Makes the demo's organization, user, endpoint and template through the gateway's own API, or
 * brings the endpoint to the server's address of this start.
 * @param gateway address of the running gateway
 * @throws Failure when the organization is there under another password, or the gateway refuses
 */
export async function setUpDemo(
  gateway: string,
  folder: DataFolder,
  database: DemoDatabase,
  newOrgToken: string | undefined,
): Promise<DemoLogin> {
  const password = await secretIn(folder, 'demo/password');
  const login = { username: DEMO_NAME, password };
  const token =
    (await logIn(gateway, login)) ?? (await createOrganization(gateway, login, newOrgToken));
  if (token === undefined) {
    throw new Failure(
      `The demo's user does not log in with the password in ${join(folder.path, 'demo/password')}; write the changed one there, or choose another folder with --data.`,
    );
  }
  const authorization = `Bearer ${token}`;
  const config = { write_conn: { url: database.url } };
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
  await makeTemplate(gateway, authorization);
  return login;
}

/** One that is there already is the reader's by now. */
async function makeTemplate(gateway: string, authorization: string): Promise<void> {
  const text = await readFile(join(import.meta.dirname, TEMPLATE), 'utf8');
  const definition: unknown = JSON.parse(text);
  const reply = await call(gateway, 'POST', '/templates', { authorization }, definition as object); // The file is one.
  if (!reply.ok && reply.status !== 409) throw await refused(`the template of ${TEMPLATE}`, reply);
}

/** A token, or undefined when organization, user or password is not right. */
async function logIn(gateway: string, { username, password }: DemoLogin) {
  const basic = Buffer.from(`${username}:${password}`).toString('base64');
  const reply = await call(gateway, 'POST', '/auth/login', {
    authorization: `Basic ${basic}`,
    'x-org-id': DEMO_NAME,
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

async function createOrganization(
  gateway: string,
  login: DemoLogin,
  newOrgToken: string | undefined,
) {
  const headers: Record<string, string> = newOrgToken
    ? { authorization: `Bearer ${newOrgToken}` }
    : {};
  const reply = await call(gateway, 'POST', '/new', headers, {
    id: DEMO_NAME,
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
