/** Reads through a gateway and from the server itself, compared value by value. */
import { checkedFetch } from '../../openapi/checked-fetch.ts';
import type { Outcome } from '../suite.ts';
import { exact, plain, roundedBy } from './exact.ts';

/** What a server answers to a read, or the code of its error. */
export type Answer = Rows | { readonly error: string };

interface Rows {
  readonly rows: readonly (readonly string[])[];
  /** Columns of numbers that the direct client gets rounded, with how. */
  readonly rounded?: ReadonlyMap<number, (value: number) => string>;
  /** Texts may be of a column that is JSON. */
  readonly documents?: true;
}

/** A server that is asked directly: each answer is what the gateway's documentation promises, as JSON texts. */
export interface Server {
  /** Runs a statement of the suite, whatever the outcome. */
  run(statement: string): Promise<void>;
  /** Reads in a session of its own, as the gateway does; undefined when it takes too long. */
  read(statement: string): Promise<Answer | undefined>;
  /** Reads in a new session from here on. */
  renew(): Promise<void>;
}

/** A statement of a suite with the name of its case. */
interface Case {
  readonly name: string;
  readonly text: string;
  readonly isRead: boolean;
}

/** Where the gateway reads. */
interface Endpoint {
  readonly url: string;
  readonly token: string;
}

/** What a run has seen so far. */
export class Counts {
  readonly differing = new Map<string, string>();
  passed = 0;
  values = 0;
  errors = 0;
  /** Reads that `/read` does not take, as it is documented. */
  refused = 0;
  /** Reads that the server itself answers otherwise each time, or too late. */
  unsteady = 0;
  /** Reads that both answer with the same rows, in another order. */
  reordered = 0;

  /** How far a run is. */
  line(file: string): string {
    return `${file}: ${this.passed} reads, ${this.values} values, ${this.differing.size} differ so far`;
  }

  outcome(): Outcome {
    const { passed, differing, values, errors, refused, unsteady, reordered } = this;
    const figures = {
      'values compared': values,
      'errors compared': errors,
      'reads that /read does not take': refused,
      'reads that the server answers otherwise each time, or too late': unsteady,
      'reads whose rows, without an order that tells them apart, stand in another one': reordered,
    };
    return { passed, differing, skipped: 0, figures };
  }
}

/** How often a server is asked again whether its answer is always the same. */
const STEADY_READS = 20;

/** Of a case's name, so many characters of its statement. */
const NAMED_CHARACTERS = 160;

/** The cases of a script; those of one text are told apart by a number. */
export function casesOf(
  file: string,
  statements: readonly string[],
  isRead: (text: string) => boolean,
): Case[] {
  const seen = new Map<string, number>();
  return statements.map((text) => {
    const short = text.replace(/\s+/g, ' ').slice(0, NAMED_CHARACTERS);
    const count = (seen.get(short) ?? 0) + 1;
    seen.set(short, count);
    const name = `${file}: ${short}${count > 1 ? ` (${count})` : ''}`;
    return { name, text, isRead: isRead(text) };
  });
}

/** Runs a statement, and before it compares what both answer, when it reads. */
export async function compareCase(
  { name, text, isRead }: Case,
  server: Server,
  endpoint: Endpoint,
  counts: Counts,
): Promise<void> {
  if (isRead) await compareRead(name, text, server, endpoint, counts);
  await server.run(text);
}

async function compareRead(
  name: string,
  text: string,
  server: Server,
  endpoint: Endpoint,
  counts: Counts,
): Promise<void> {
  const wanted = await server.read(text);
  if (wanted === undefined) {
    counts.unsteady += 1;
    return;
  }
  const got = await readThrough(endpoint, text);
  if ('refused' in got) {
    counts.refused += 1;
    return;
  }
  const how = difference(wanted, got);
  if (how === undefined) {
    counts.passed += 1;
    if ('rows' in wanted) counts.values += wanted.rows.reduce((sum, row) => sum + row.length, 0);
    else counts.errors += 1;
    return;
  }
  if (hasSameRows(wanted, got)) counts.reordered += 1;
  else if (!(await isSteady(wanted, text, server))) counts.unsteady += 1;
  else counts.differing.set(name, how);
}

async function isSteady(wanted: Answer, text: string, server: Server): Promise<boolean> {
  for (let reads = 0; reads < STEADY_READS; reads += 1) {
    // Where rows of one rank stand can be the session's.
    await server.renew();
    const again = await server.read(text);
    if (again === undefined || plain(again) !== plain(wanted)) return false;
  }
  return true;
}

/** Whether each row that one answers is one of the other's, whatever their order. */
function hasSameRows(wanted: Answer, got: Exclude<Got, { refused: true }>): boolean {
  if ('error' in wanted || 'error' in got) return false;
  const sorted = (rows: readonly unknown[]) => rows.map(plain).sort();
  const told = wanted.rows.map((row) => row.map(exact));
  return plain(sorted(told)) === plain(sorted(got.rows));
}

type Got =
  | { readonly rows: readonly unknown[][] }
  | { readonly error: string }
  | { readonly refused: true };

/** Codes of what the gateway refuses by rules of its own. */
const REFUSALS = new Set(['BAD_REQUEST', 'NOT_SUPPORTED', 'RESULT_TOO_LARGE']);

async function readThrough({ url, token }: Endpoint, query: string): Promise<Got> {
  const response = await checkedFetch(url, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ query, row_format: 'array' }),
  });
  const text = await response.text();
  if (response.status === 200) {
    const body = exact(text) as { data: { rows: unknown[][] } };
    return { rows: body.data.rows };
  }
  const { code, details } = JSON.parse(text) as { code: string; details?: { code?: string }[] };
  const own = details?.[0]?.code;
  if (own === undefined && REFUSALS.has(code)) return { refused: true };
  return { error: own ?? code };
}

/** How the gateway's answer differs; undefined when it does not. */
function difference(wanted: Answer, got: Exclude<Got, { refused: true }>): string | undefined {
  if ('error' in wanted || 'error' in got) {
    const [one, other] = [wanted, got].map((each) =>
      'error' in each ? `error ${each.error}` : 'rows',
    );
    return one === other ? undefined : `${other}, and the server answers ${one}`;
  }
  if (wanted.rows.length !== got.rows.length) {
    return `${got.rows.length} rows, and the server answers ${wanted.rows.length}`;
  }
  for (const [index, row] of wanted.rows.entries()) {
    for (const [column, text] of row.entries()) {
      const value = got.rows[index]?.[column];
      if (isSame(text, value, wanted, column)) continue;
      const [one, other] = [plain(exact(text)), plain(value)];
      return `row ${index} has ${other}, and the server answers ${one}`.slice(0, 400);
    }
  }
  return undefined;
}

function isSame(
  text: string,
  value: unknown,
  { rounded, documents }: Rows,
  column: number,
): boolean {
  const wanted = exact(text);
  if (plain(wanted) === plain(value)) return true;
  const round = rounded?.get(column);
  if (round) return roundedBy(round, wanted) === roundedBy(round, value);
  if (documents === undefined || typeof wanted !== 'string') return false;
  try {
    return plain(exact(wanted)) === plain(value);
  } catch {
    return false;
  }
}
