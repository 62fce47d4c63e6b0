/** `npm run audit:verify`: holds an export of an organization's audit against heads kept earlier. */
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import type { JWK } from 'jose';
import * as z from 'zod';
import { flagFault } from '../proto/flags.ts';
import type { AuditEntry, SignedHead } from '../worker/audit/hash.ts';
import { type Verdict, verify } from '../worker/audit/verify.ts';
import { Failure, runScript } from './failure.ts';

const HELP = `Usage: npm run audit:verify -- --head FILE (--export FILE | --url URL --token TOKEN) [--public-key FILE]

Tells whether an export of an organization's audit holds every entry as it was chained: finds
what was edited, removed, moved or cut off since the head was kept. Exit code 0 when the chain is
whole, else 1.

  --export FILE      pages or entries of GET /api/v1/audit without filters, in its order, newest
                     first: JSON, or one a line; - is standard input
  --url URL          fetches them instead, such as http://127.0.0.1:8787
  --token TOKEN      a token of an Admin, for --url; AUDIT_TOKEN in the environment serves too
  --head FILE        the reply of GET /api/v1/audit/head, kept earlier; may be given several times
  --public-key FILE  the gateway's Ed25519 key as JWK, list of JWKs or JWK set: checks signatures;
                     needed where retention has removed entries; may be given several times
  --help             this text`;

const FLAGS = {
  export: { type: 'string' },
  url: { type: 'string' },
  token: { type: 'string' },
  head: { type: 'string', multiple: true },
  'public-key': { type: 'string', multiple: true },
  help: { type: 'boolean', short: 'h' },
} as const;

const Entry = z.looseObject({
  org_uuid: z.string(),
  seq: z.number().nullable(),
  hash: z.string().nullable(),
});
const Head = z.object({
  seq: z.number(),
  hash: z.string(),
  time: z.string(),
  key_id: z.string(),
  signature: z.string(),
});
const Page = z.object({
  entries: z.array(Entry),
  removed: Head.optional(),
  next_cursor: z.string().optional(),
});
const Key = z.looseObject({
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  x: z.string(),
});

/** Entries in the order in which they are listed, and where they begin. */
interface Export {
  readonly entries: AuditEntry[];
  readonly removed?: SignedHead | undefined;
}

await runScript(async () => {
  const flags = parseFlags(process.argv.slice(2));
  if (flags.help) {
    console.log(HELP);
    return;
  }
  if (!flags.head)
    throw new Failure('--head is needed: what GET /api/v1/audit/head answered earlier.');
  // One after another: of several wrong files always the same is told.
  const heads = await Promise.all(flags.head.map(readHead));
  const keys = await Promise.all((flags['public-key'] ?? []).map(readKeys));
  const given = await exportOf(flags);
  const verdict = await verify({ ...given, heads, keys: keys.flat() });
  for (const { seq, message } of verdict.faults) console.log(`Entry ${seq} ${message}.`);
  console.log(summary(verdict, keys.length > 0));
  if (verdict.faults.length > 0) process.exitCode = 1;
});

function parseFlags(args: string[]) {
  try {
    return parseArgs({ args, options: FLAGS }).values;
  } catch (thrown) {
    throw new Failure(`${flagFault(thrown, Object.keys(FLAGS))}.`, { cause: thrown });
  }
}

function summary({ faults, first, last, unchained, vouched }: Verdict, signed: boolean): string {
  const waiting = `${unchained} not chained yet`;
  if (faults.length > 0) return `The chain is broken in ${faults.length} places; ${waiting}.`;
  const signatures = signed ? '' : ' (its signature was not checked: no --public-key)';
  const extent =
    first === undefined ? 'holds no chained entries' : `is whole from ${first} to ${last}`;
  return `The chain ${extent}; a head vouches for it up to ${vouched}${signatures}; ${waiting}.`;
}

function exportOf(flags: ReturnType<typeof parseFlags>): Promise<Export> {
  if ((flags.export === undefined) === (flags.url === undefined)) {
    throw new Failure('Give either --export or --url; see --help.');
  }
  if (flags.export !== undefined) return readExport(flags.export);
  const token = flags.token ?? process.env.AUDIT_TOKEN;
  if (!token) throw new Failure('--url needs --token, or AUDIT_TOKEN in the environment.');
  return fetchExport(flags.url ?? '', token);
}

/** Pages, entries, or lists of either. */
async function readExport(file: string): Promise<Export> {
  const text = await contentOf(file === '-' ? '/dev/stdin' : file);
  const values = (jsonOf(text) ?? linesOf(file, text)).flat();
  const entries: unknown[] = [];
  let removed: SignedHead | undefined;
  for (const value of values) {
    const page = Page.safeParse(value);
    const entry = page.success ? undefined : Entry.safeParse(value);
    if (!page.success && !entry?.success) {
      throw new Failure(
        `${file} holds something that is neither a page nor an entry of GET /audit.`,
      );
    }
    entries.push(...(page.success ? page.data.entries : [value]));
    if (page.success) removed = later(removed, page.data.removed);
  }
  // What was checked is what is counted on; all other members are only hashed.
  return { entries: entries as AuditEntry[], removed };
}

/** Retention may remove more while pages are fetched; what was there at first is what counts. */
function later(known: SignedHead | undefined, next: SignedHead | undefined) {
  return known && next && next.seq < known.seq ? known : (next ?? known);
}

function jsonOf(text: string): unknown[] | undefined {
  try {
    return [JSON.parse(text)];
  } catch {
    return undefined;
  }
}

function linesOf(file: string, text: string): unknown[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.map((line, at) => {
    const [value] = jsonOf(line) ?? [];
    if (value === undefined) throw new Failure(`${file} is not JSON: line ${at + 1}.`);
    return value;
  });
}

async function fetchExport(url: string, token: string): Promise<Export> {
  if (!URL.canParse(url)) throw new Failure('--url takes the address of a gateway.');
  const entries: unknown[] = [];
  let removed: SignedHead | undefined;
  for (let cursor: string | undefined, first = true; first || cursor !== undefined; first = false) {
    const from = new URL('/api/v1/audit', url);
    if (cursor !== undefined) from.searchParams.set('cursor', cursor);
    const response = await fetch(from, { headers: { Authorization: `Bearer ${token}` } }).catch(
      (cause: unknown) => {
        throw new Failure(`There is no gateway at ${from.origin}.`, { cause });
      },
    );
    if (!response.ok) throw new Failure(`The gateway answered ${response.status} to GET /audit.`);
    const page = Page.safeParse(await response.json().catch(() => undefined));
    if (!page.success) throw new Failure(`What answers at ${from.origin} is not a gateway.`);
    entries.push(...page.data.entries);
    removed = later(removed, page.data.removed);
    cursor = page.data.next_cursor;
  }
  return { entries: entries as AuditEntry[], removed };
}

async function readHead(file: string): Promise<SignedHead> {
  const [value] = jsonOf(await contentOf(file)) ?? [];
  const head = Head.safeParse(value);
  if (!head.success) throw new Failure(`${file} is not what GET /audit/head answers.`);
  return head.data;
}

/** Of a private key only what is public is taken. */
async function readKeys(file: string): Promise<JWK[]> {
  const [value] = jsonOf(await contentOf(file)) ?? [];
  const list = z.object({ keys: z.array(z.unknown()) }).safeParse(value);
  const keys = z
    .array(Key)
    .min(1)
    .safeParse(list.success ? list.data.keys : [value].flat());
  if (!keys.success) throw new Failure(`${file} holds no Ed25519 key as JWK.`);
  return keys.data.map(({ kty, crv, x }) => ({ kty, crv, x }));
}

async function contentOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    throw new Failure(`${file} cannot be read.`, { cause });
  }
}
