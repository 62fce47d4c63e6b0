/** The bundle that `npm run deploy` would send. */
import { expect, test } from 'vitest';
import { runTool } from '../server/tools.ts';

/** Compressed, of the platform's smallest plan. */
const LIMIT_KIB = 3 * 1024;

test('is built whole, and under 3 MB compressed', async () => {
  const { ok, output } = await runTool('wrangler', ['deploy', '--minify', '--dry-run']);
  expect({ ok, output }).toMatchObject({ ok: true, output: expect.stringContaining('env.DB') });
  const [, size] = /gzip: ([\d.]+) KiB/.exec(output) ?? [];
  expect(Number(size)).toBeGreaterThan(10);
  expect(Number(size)).toBeLessThan(LIMIT_KIB);
});
