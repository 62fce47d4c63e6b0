/**
 * A million rows as NDJSON: rows per second, and how much the resident memory of the worker and
 * of the relay grows over what it was after a stream before.
 *
 * npm run bench -- stream [--rows 1000000]
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startPostgres } from '../server/postgres-server.ts';
import { childrenOf } from '../test/processes.ts';
import { type MeasuredGateway, startGateway } from './gateway.ts';
import { tell } from './report.ts';

const SAMPLE_EVERY_MS = 50;
const { values } = parseArgs({ options: { rows: { type: 'string', default: '1000000' } } });
const rows = Number(values.rows);

const folder = await mkdtemp(join(tmpdir(), 'causeway-bench-pg-'));
const database = await startPostgres({ folder: join(folder, 'data'), password: 'bench' });
try {
  const gateway = await startGateway(database.url);
  try {
    await stream(gateway);
    const watched = childrenOf(process.pid).filter(({ command }) =>
      /workerd serve|node-relay\/main\.ts/.test(command),
    );
    const before = await Promise.all(watched.map(({ pid }) => residentMiB(pid)));
    const most = [...before];
    const started = performance.now();
    const streaming = stream(gateway);
    let open = true;
    const ended = streaming.finally(() => {
      open = false;
    });
    while (open) {
      await sleep(SAMPLE_EVERY_MS);
      for (const [index, { pid }] of watched.entries()) {
        most[index] = Math.max(most[index] ?? 0, await residentMiB(pid));
      }
    }
    const lines = await ended;
    const seconds = (performance.now() - started) / 1000;
    tell('rows a second', [lines / seconds], { unit: 'rows/s' });
    console.log(`${lines} rows, ${(lines / seconds).toFixed(0)}/s`);
    for (const [index, { command }] of watched.entries()) {
      const name = command.includes('workerd') ? 'worker' : 'relay';
      const grown = (most[index] ?? 0) - (before[index] ?? 0);
      tell(`the ${name} grows by`, [grown], { unit: 'MiB' });
      console.log(
        `${name.padEnd(6)} ${(before[index] ?? 0).toFixed(0)} MiB, grows by ${grown.toFixed(0)} MiB`,
      );
    }
  } finally {
    await gateway.stop();
  }
} finally {
  await database.stop();
  await rm(folder, { recursive: true, force: true });
}

/** Reads a whole stream; answers its lines. */
async function stream({ port, path, headers }: MeasuredGateway): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json', Accept: 'application/x-ndjson' },
    body: JSON.stringify({
      query: "select generate_series(1, $1::int) as id, repeat('x', 50) as text",
      params: [rows],
      timeout_ms: 300_000,
    }),
  });
  if (!response.ok || response.body === null) throw new Error(await response.text());
  let lines = 0;
  for await (const piece of response.body) {
    for (const byte of piece) if (byte === 10) lines += 1;
  }
  return lines;
}

async function residentMiB(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
}
