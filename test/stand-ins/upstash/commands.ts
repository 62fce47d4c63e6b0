/** Commands as Upstash's REST protocol writes them: in a body, or in the path. Source: upstash.com/docs/redis/features/restapi. */
import { isRawJson, parseJson } from '../../../proto/json.ts';
import type { Word } from './connection.ts';

/** What the vendor refuses, in its words. */
export class Refusal extends Error {
  readonly status: number;
  constructor(message: string, status = 400) {
    super(message);
    this.status = status;
  }
}

/** A JSON array of one command. @throws Refusal */
export function commandIn(body: Buffer): Word[] {
  return wordsOf(parsed(body));
}

/** A JSON array of commands. @throws Refusal */
export function commandsIn(body: Buffer): Word[][] {
  const rows = parsed(body);
  if (!Array.isArray(rows)) throw new Refusal('ERR failed to parse command');
  if (rows.length === 0) throw new Refusal('ERR empty pipeline request');
  return rows.map(wordsOf);
}

/** `/set/foo/bar?EX=100`: a body comes before what the query says. */
export function commandOfPath(segments: readonly string[], body: Buffer, url: URL): Word[] {
  const query = [...url.searchParams].filter(([name]) => name !== '_token');
  return [
    ...segments,
    ...(body.byteLength === 0 ? [] : [body]),
    ...query.flatMap(([name, value]) => (value === '' ? [name] : [name, value])),
  ];
}

function parsed(body: Buffer): unknown {
  try {
    return parseJson(body.toString('utf8'));
  } catch {
    throw new Refusal('ERR failed to parse command');
  }
}

function wordsOf(row: unknown): Word[] {
  if (!Array.isArray(row)) throw new Refusal('ERR failed to parse command');
  if (row.length === 0) throw new Refusal('ERR empty command');
  return row.map(wordOf);
}

function wordOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (isRawJson(value)) return value.rawJSON;
  throw new Refusal(
    value === null ? 'ERR null args are not supported' : 'ERR unsupported arg type',
  );
}
