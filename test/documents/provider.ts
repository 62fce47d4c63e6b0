/** The identity provider of docs/access.md, as the page writes it, on a port of its own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ROOT } from '../../server/bundle.ts';
import { freePort } from '../../server/ports.ts';

/** Its address on the page. */
export const WRITTEN_ISSUER = 'http://127.0.0.1:9000';
const WRITTEN_PORT = '9000';

/** The provider, running, and what the page reports a gateway of it. */
export interface PageProvider {
  readonly issuer: string;
  /** As the setting has it. */
  readonly AUTH_EXTERNAL: string;
  stop(): Promise<void>;
}

/** Starts the page's program and waits until it publishes its keys. */
export async function startProvider(): Promise<PageProvider> {
  const page = await readFile(join(ROOT, 'docs/access.md'), 'utf8');
  const port = String(await freePort('127.0.0.1'));
  const blockOf = (start: RegExp) => (start.exec(page)?.[1] ?? '').replaceAll(WRITTEN_PORT, port);
  const folder = await mkdtemp(join(tmpdir(), 'causeway-provider-'));
  const program = join(folder, 'provider.mjs');
  await writeFile(program, blockOf(/^```js\n(import \{ Provider \}.*?)^```$/ms));
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const child = spawn(process.execPath, [program], { stdio: 'ignore' });
  const issuer = `http://127.0.0.1:${port}`;
  while (!(await isServed(`${issuer}/jwks`)) && child.exitCode === null) await sleep(50);
  return {
    issuer,
    AUTH_EXTERNAL: blockOf(/^```json\n(\[\n[^`]*"http:\/\/127\.0\.0\.1:9000".*?)^```$/ms),
    async stop() {
      if (child.exitCode === null) {
        child.kill();
        await once(child, 'exit');
      }
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function isServed(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    get(url, (reply) => resolve(reply.resume().statusCode === 200)).on('error', () =>
      resolve(false),
    );
  });
}
