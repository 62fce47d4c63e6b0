/** What `npm run audit:verify` shows, and with which exit code. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exportJWK, generateKeyPair } from 'jose';
import { afterAll, describe, expect, test } from 'vitest';
import { type AuditEntry, linkOf, START, signHead } from '../worker/audit/hash.ts';
import { ROOT } from './bundle.ts';

const ORG = '6f1c1f6e-0d3e-4e54-9f55-3a2f0d9c9a01';
const folder = await mkdtemp(join(tmpdir(), 'causeway-audit-'));
afterAll(() => rm(folder, { recursive: true, force: true }));

const { privateKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true });
const key = await exportJWK(privateKey);

/** Five entries, newest first; the last written one waits for its number. */
async function someEntries(): Promise<AuditEntry[]> {
  const entries: AuditEntry[] = [];
  let before = START;
  for (let at = 1; at <= 5; at += 1) {
    const entry = {
      org_uuid: ORG,
      seq: null,
      time: new Date(at).toISOString(),
      actor: 'ada',
      action: 'endpoint.create',
      resource: `endpoint:${at}`,
      outcome: 'success',
      address: 'local',
      request_id: 'r',
      details: {},
      repeats: 1,
      hash: null,
    };
    if (at < 5) before = await linkOf(entry, before);
    entries.unshift(at < 5 ? { ...entry, ...before } : entry);
  }
  return entries;
}

const entries = await someEntries();
const headOf = (seq: number) =>
  signHead(
    key,
    ORG,
    { seq, hash: entries.find((each) => each.seq === seq)?.hash ?? '' },
    { sort: 'newest', now: 0 },
  );

async function file(name: string, content: unknown): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

const head = await file('head.json', await headOf(3));
const publicKey = await file('key.jwk', key);

function run(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  return new Promise((resolve) => {
    const script = join(ROOT, 'server/audit-verify.ts');
    execFile(process.execPath, [script, ...args], (failure, out, err) => {
      resolve({ code: failure ? Number(failure.code) : 0, out, err });
    });
  });
}

const WHOLE = 'The chain is whole from 1 to 4; a head vouches for it up to 3; 1 not chained yet.\n';

describe('an export that nobody touched', () => {
  test.each([
    ['a page', { entries }],
    ['entries', entries],
    ['pages', [{ entries: entries.slice(0, 2), next_cursor: 'x' }, { entries: entries.slice(2) }]],
    ['entries a line', entries.map((each) => JSON.stringify(each)).join('\n')],
    [
      'pages a line',
      `${JSON.stringify({ entries: entries.slice(0, 3) })}\n${JSON.stringify({ entries: entries.slice(3) })}\n`,
    ],
  ])('as %s is whole', async (name, content) => {
    const path = await file(`${name}.json`, content);
    const told = await run('--export', path, '--head', head, '--public-key', publicKey);
    expect(told).toEqual({ code: 0, out: WHOLE, err: '' });
  });

  test('is fetched page by page with a token', async () => {
    const pages = [
      { entries: entries.slice(0, 2), next_cursor: 'a b' },
      { entries: entries.slice(2) },
    ];
    const asked: unknown[] = [];
    const server = createServer((request, response) => {
      asked.push([request.url, request.headers.authorization]);
      response.end(JSON.stringify(pages[asked.length - 1]));
    });
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', () => ready()));
    const { port } = server.address() as AddressInfo; // It listens on a port, not on a pipe.
    const url = `http://127.0.0.1:${port}`;
    const told = await run('--url', url, '--token', 'T', '--head', head, '--public-key', publicKey);
    server.close();
    expect(told).toEqual({ code: 0, out: WHOLE, err: '' });
    expect(asked).toEqual([
      ['/api/v1/audit', 'Bearer T'],
      ['/api/v1/audit?cursor=a+b', 'Bearer T'],
    ]);
  });
});

test.each([
  [
    'edited',
    entries.with(2, { ...(entries[2] as AuditEntry), actor: 'eve' }),
    'Entry 3 is not what it was when it was chained.',
  ],
  ['removed', entries.toSpliced(2, 1), 'Entry 4 follows 2: 3 is missing.'],
  ['cut off', entries.slice(3), 'Entry 2 is the last, but a head names 3: the rest was cut off.'],
  [
    'moved',
    [...entries.slice(0, 2), ...entries.slice(2).toReversed()],
    'Entry 3 is the first: those before it are missing.',
  ],
])('an entry that was %s is named, with exit code 1', async (name, content, message) => {
  const { code, out } = await run('--export', await file(`${name}.json`, content), '--head', head);
  expect({ code, lines: out.split('\n') }).toEqual({
    code: 1,
    lines: expect.arrayContaining([message]),
  });
});

test.each([
  [['--export', 'x'], '--head is needed: what GET /api/v1/audit/head answered earlier.'],
  [['--head', head], 'Give either --export or --url; see --help.'],
  [['--head', head, '--export', '/no/such'], '/no/such cannot be read.'],
  [['--head', publicKey, '--export', head], `${publicKey} is not what GET /audit/head answers.`],
  [
    ['--head', head, '--export', head],
    `${head} holds something that is neither a page nor an entry of GET /audit.`,
  ],
  [
    ['--head', head, '--url', 'http://127.0.0.1:1'],
    '--url needs --token, or AUDIT_TOKEN in the environment.',
  ],
  [
    ['--head', head, '--url', 'http://127.0.0.1:1', '--token', 'T'],
    'There is no gateway at http://127.0.0.1:1.',
  ],
  [['--colour'], "Unknown option '--colour'; see --help."],
])('%j is refused in one sentence', async (args, sentence) => {
  expect(await run(...args)).toEqual({ code: 1, out: '', err: `${sentence}\n` });
});
