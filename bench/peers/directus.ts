/** Directus: a row by its REST API, with a token. */
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../../server/ports.ts';
import { runToEnd } from '../../server/server-process.ts';
import { installed } from './installed.ts';
import { environmentOf, type Peer, startPeer } from './peer.ts';

/** One of its packages is of no version in the registry after this one. */
const VERSION = '12.4.0';
const TOKEN = 'a-token-for-measuring-0123456789';

/** Starts it on a database of its own, which holds the table. */
export async function startDirectus(url: string): Promise<Peer> {
  const folder = await installed('directus', VERSION, withoutScripts);
  const port = await freePort('127.0.0.1');
  const environment = {
    DB_CLIENT: 'pg',
    DB_CONNECTION_STRING: url,
    SECRET: 'a secret for measuring, as long as it has to be',
    ADMIN_EMAIL: 'admin@example.com',
    ADMIN_PASSWORD: 'a password for measuring',
    ADMIN_TOKEN: TOKEN,
    HOST: '127.0.0.1',
    PORT: String(port),
    TELEMETRY: 'false',
    // It answers 503 where its thread is busy, which is what is measured.
    PRESSURE_LIMITER_ENABLED: 'false',
    LOG_LEVEL: 'error',
  };
  const program = join(folder, 'node_modules/directus/cli.js');
  await runToEnd('Directus', process.execPath, [program, 'bootstrap'], {
    environment: environmentOf(environment),
    cwd: folder,
  });
  return startPeer({
    name: 'Directus',
    folder,
    args: [program, 'start'],
    environment,
    request: {
      method: 'GET',
      port,
      path: '/items/products/42?fields=id,name,price,created_at',
      headers: { Authorization: `Bearer ${TOKEN}` },
      body: '',
    },
  });
}

/** What runs the scripts of its flows has to be compiled; it is loaded at the start, and here nothing uses it. */
async function withoutScripts(folder: string): Promise<void> {
  const part = join(folder, 'node_modules/isolated-vm');
  if (existsSync(join(part, 'out'))) return;
  await writeFile(join(part, 'isolated-vm.js'), 'module.exports = {};\n');
}
