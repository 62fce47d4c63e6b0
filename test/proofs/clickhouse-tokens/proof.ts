/** Proves that the driver reads names and strings of ClickHouse's SQL as servers do. */

import { type Token, tokensOf } from '../../../node-relay/drivers/clickhouse/lexer.ts';
import { isMark, isWord, readingsOf } from '../../../node-relay/drivers/clickhouse/marks.ts';
import { backend } from '../../servers/backends.ts';
import { type Answer, ask } from '../clickhouse-functions/engine.ts';
import { Random } from '../clickhouse-functions/random.ts';
import type { Proof, ProofResult } from '../proof.ts';
import { Sequences } from './sequences.ts';

const PROGRESS_EVERY = 5_000;
/** Every so many cases go to the server of 2018 as well, which takes fewer. */
const OLD_EVERY = 4;

/** Random statements; a server's own names of the columns against ours. */
export const proof: Proof = {
  promise:
    "The driver's tokens are those that ClickHouse reads: names and strings in any quotes, escapes and comments.",
  count: 40_000,
  async run({ seed, count, progress }): Promise<ProofResult> {
    const { url } = await backend('clickhouse');
    const { url: old } = await backend('clickhouse-18');
    const random = new Random(seed);
    const [modern, plain] = [new Sequences(random, true), new Sequences(random, false)];
    const faults: string[] = [];
    const figures: Record<string, number> = {};
    const add = (figure: string) => {
      figures[figure] = (figures[figure] ?? 0) + 1;
    };
    for (let at = 0; at < count; at += 1) {
      if (at % PROGRESS_EVERY === 0) progress(`${at} cases`);
      const statement = modern.next();
      const verdict = judged(statement, await ask(url, statement, SETTINGS));
      add(verdict.seen);
      if (verdict.fault) faults.push(verdict.fault);
      if (at % OLD_EVERY !== 0) continue;
      const simple = plain.next();
      const before = judged(simple, await ask(old, simple, SETTINGS));
      add(`2018: ${before.seen}`);
      if (before.fault) faults.push(`2018: ${before.fault}`);
    }
    return { cases: count, faults, figures };
  },
};

const SETTINGS = '&default_format=JSONCompact';

interface Verdict {
  readonly seen: string;
  readonly fault?: string;
}

/** What a server refuses may be read in any way; what it takes may be refused by us. */
function judged(statement: string, { ok, text }: Answer): Verdict {
  const tokens = tokensOf(statement);
  const unreadable = 'unreadable' in tokens;
  if (!ok) return { seen: unreadable ? 'refused by both' : 'refused by the server alone' };
  if (unreadable) return { seen: `not taken by us: ${tokens.unreadable}` };
  const { meta, data } = JSON.parse(text) as { meta: { name: string }[]; data: unknown[][] }; // As the format is.
  const own = columnsOf(tokens);
  const names = meta.map(({ name }) => name);
  const sameNames =
    names.length === own.length && names.every((name, at) => isOne(own[at]?.name, name));
  const values = data[0] ?? [];
  const sameValues = own.every(({ value }, at) => value === undefined || isOne(value, values[at]));
  if (sameNames && sameValues) return { seen: 'read alike' };
  const found = {
    statement,
    server: { names, values },
    own: own.map(({ name, value }) => [name?.text, value?.text]),
  };
  return { seen: 'read otherwise', fault: JSON.stringify(found) };
}

/** Bytes that are no UTF-8 come back replaced, in one way or the other. */
function isOne(token: Token | undefined, told: unknown): boolean {
  if (token === undefined) return false;
  return readingsOf(token).some((reading) => reading.includes('\ufffd') || reading === told);
}

interface Column {
  readonly name: Token | undefined;
  /** Where the value is a string in quotes. */
  readonly value: Token | undefined;
}

/** Of `SELECT value AS name, …`, by our own tokens; strings of digits are not decoded by us. */
function columnsOf(tokens: readonly Token[]): Column[] {
  const depths: number[] = [];
  for (const token of tokens) depths.push((depths.at(-1) ?? 0) + nesting(token));
  const commas = tokens.flatMap((token, at) =>
    isMark(token, ',') && depths[at] === 0 ? [at] : [],
  );
  const bounds = [0, ...commas, tokens.length];
  return bounds.slice(1).map((end, at) => columnOf(tokens.slice((bounds[at] ?? 0) + 1, end)));
}

function columnOf(tokens: readonly Token[]): Column {
  const [value] = tokens;
  const isString = tokens.length === 3 && value?.kind === 'string' && !/^[xXbB]'/.test(value.text);
  return {
    name: isWord(tokens.at(-2), 'AS') ? tokens.at(-1) : undefined,
    value: isString ? value : undefined,
  };
}

function nesting(token: Token): number {
  if (isMark(token, '(') || isMark(token, '[')) return 1;
  return isMark(token, ')') || isMark(token, ']') ? -1 : 0;
}
