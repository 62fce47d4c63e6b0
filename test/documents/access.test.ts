/** docs/access.md: its example of AUTH_EXTERNAL is taken, and its table has every member. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../../server/bundle.ts';
import { Issuers } from '../../worker/issuers.ts';

const page = await readFile(join(ROOT, 'docs/access.md'), 'utf8');
const [, example = ''] = /```json\n(\s*\[\n[\s\S]*?)```/.exec(page) ?? [];

test('the example is one that the gateway takes, and a wrong member is not', () => {
  const issuers: unknown[] = JSON.parse(example);
  expect(Issuers.safeParse(issuers)).toMatchObject({ success: true });
  expect(Issuers.safeParse([{ ...Object(issuers[0]), level: 'Read' }]).success).toBe(false);
});

test('every member is explained', () => {
  const [issuer] = Issuers.parse(JSON.parse(example));
  const { claims = {}, ...members } = issuer ?? {};
  const names = [...Object.keys(members), ...Object.keys(claims).map((name) => `claims.${name}`)];
  expect(names.length).toBe(10);
  expect(names.filter((name) => !page.includes(`\n| \`${name}\` |`))).toEqual([]);
});
