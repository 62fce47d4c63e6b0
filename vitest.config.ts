/** How tests run: `worker` inside the edge runtime with a real D1, `relay` and `system` in Node. */
import { availableParallelism } from 'node:os';
import { cloudflareTest, readD1Migrations } from '@cloudflare/vitest-plugin';
import { exportJWK, generateKeyPair } from 'jose';
import { configDefaults, defineConfig } from 'vitest/config';
import { LongestFirst } from './test/order.ts';
import { Stall } from './test/stall.ts';
import { leftOut } from './tooling/left-out.ts';

/** No test takes this long; a machine that does other things too must not make one fail. */
const BUSY_MACHINE_MS = 60_000;
/** What a test needs first may have to be fetched first: hundreds of megabytes for some servers. */
const FETCHED_MS = 300_000;
/** How long a test that looks again and again waits for what is to come about. A test that expects nothing fails. */
const expect = { poll: { timeout: 30_000 }, requireAssertions: true };

/** Where random cases begin: what one run finds, all find. Others by `TEST_SEED`. */
const SEED = Number(process.env.TEST_SEED ?? 1);
if (!Number.isInteger(SEED)) throw new Error('TEST_SEED takes an integer.');

/** How many times as many random cases as usual, of the tests that say so. */
const RUNS = Number(process.env.TEST_RUNS ?? 1);
if (!Number.isInteger(RUNS) || RUNS < 1) throw new Error('TEST_RUNS takes an integer from 1.');

/** Where `npm test` reads the result. */
const REPORT = process.env.TEST_REPORT;
const REPORTS: ['json', { outputFile: string }][] =
  REPORT === undefined ? [] : [['json', { outputFile: REPORT }]];

/** What vitest leaves out by itself, and what this machine cannot run. */
const exclude = [...configDefaults.exclude, '.downloads/**', ...leftOut().tests];

/** Run the tests of other files on another server, which they name in the variables of their process. */
const OF_OWN_PROCESS = ['older', 'behind-pooler'].map(
  (name) => `node-relay/drivers/postgres/${name}.test.ts`,
);

/** Settings of the worker under test; keys are real and new in each run. */
async function testBindings() {
  const gateway = await generateKeyPair('EdDSA', { extractable: true });
  const node = await generateKeyPair('ECDH-ES', { crv: 'P-256', extractable: true });
  return {
    JWT_SECRET: randomKey(),
    INSTALLATION_KEY: randomKey(),
    GATEWAY_KEY: JSON.stringify(await exportJWK(gateway.privateKey)),
    RELAY_URL: 'http://relay.test',
    RELAY_NODE_PUBLIC_KEY: JSON.stringify(await exportJWK(node.publicKey)),
    PEER: 'local',
    RATE_LIMITS: 'off',
    // For tests alone: the other halves of the keys, and the tables.
    GATEWAY_PUBLIC_KEY: JSON.stringify(await exportJWK(gateway.publicKey)),
    RELAY_NODE_KEY: JSON.stringify(await exportJWK(node.privateKey)),
    MIGRATIONS: await readD1Migrations('migrations'),
  };
}

function randomKey(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url');
}

declare module 'vitest' {
  interface ProvidedContext {
    readonly seed: number;
    readonly runs: number;
  }
}

export default defineConfig({
  test: {
    globalSetup: 'test/run.ts',
    // Most of a test's time is waiting: two files at once on each core.
    maxWorkers: 2 * availableParallelism(),
    sequence: { sequencer: LongestFirst },
    reporters: ['default', new Stall(REPORT), ...REPORTS],
    provide: { seed: SEED, runs: RUNS },
    projects: [
      {
        plugins: [
          cloudflareTest(async () => ({
            wrangler: { configPath: './wrangler.toml' },
            miniflare: { bindings: await testBindings() },
          })),
        ],
        test: {
          name: 'worker',
          include: ['worker/**/*.test.ts', 'proto/**/*.test.ts', 'kinds/**/*.test.ts'],
          setupFiles: ['worker/test/migrate.ts', 'worker/test/statements.ts', 'test/seed.ts'],
          // A runtime for many files is eight times as fast; tests use unique names instead.
          isolate: false,
          expect,
          testTimeout: BUSY_MACHINE_MS,
          hookTimeout: BUSY_MACHINE_MS,
        },
      },
      {
        test: {
          name: 'relay',
          include: ['node-relay/**/*.test.ts'],
          exclude: [...exclude, ...OF_OWN_PROCESS],
          setupFiles: ['test/seed.ts'],
          // Loading drivers takes longer than most files do: a process runs many files.
          isolate: false,
          expect,
          testTimeout: BUSY_MACHINE_MS,
          hookTimeout: FETCHED_MS,
        },
      },
      {
        test: {
          name: 'system',
          include: [
            'test/**/*.test.ts',
            'server/**/*.test.ts',
            'tooling/**/*.test.ts',
            ...OF_OWN_PROCESS,
          ],
          exclude,
          setupFiles: ['test/seed.ts'],
          expect,
          // Whole gateways start and stop.
          testTimeout: 3 * BUSY_MACHINE_MS,
          hookTimeout: FETCHED_MS,
        },
      },
    ],
  },
});
