/** Large values of runs: they are parsed in pieces, in turn, and kept for a while, as many actions of a run read the same one. docs/heavy-work.md. */
import type { Json } from '../../../proto/json.ts';
import { parseInPieces } from '../../../proto/json-pieces.ts';
import { LruMap } from '../../../proto/lru-map.ts';
import type { Pieces } from '../../../proto/work/pieces.ts';
import { parseAsWrittenInPieces } from '../../../proto/written-json.ts';

/** How many are kept, and the characters of their texts, in an isolate. */
const MOST = { values: 32, characters: 32 * 1024 * 1024 };
/** Milliseconds that one is kept without being read. */
const KEPT_MS = 1_000;

/** What a text is. */
export interface ParsedText {
  /** As `parseJson` reads it. */
  readonly plain: Json;
  /** As it was written. */
  readonly value: Json;
}

interface Kept {
  readonly value: Json;
  readonly characters: number;
  /** Unix epoch milliseconds. */
  readAt: number;
}

/** Of an isolate, as its memory is. */
const kept = new LruMap<string, Kept>(MOST.values, {
  most: MOST.characters,
  of: ({ characters }) => characters,
});

/** Parses a text that was kept. */
export function* parseText(text: string): Pieces<ParsedText> {
  const plain = yield* parseInPieces(text);
  return { plain, value: yield* parseAsWrittenInPieces(text, plain) };
}

/** A value that was parsed, and read less than a second ago. Nobody may change it. @param name of `keepParsed` */
export function parsedLately(name: string): Json | undefined {
  const known = kept.get(name);
  if (known) known.readAt = Date.now();
  return known?.value;
}

/** Keeps a value that never changes. @param name of this value alone @param characters of its text */
export function keepParsed(name: string, characters: number, value: Json): void {
  const parsed = { value, characters, readAt: Date.now() };
  kept.set(name, parsed);
  forgetLater(name, parsed);
}

function forgetLater(name: string, parsed: Kept): void {
  setTimeout(() => {
    if (kept.get(name) !== parsed) return;
    if (Date.now() - parsed.readAt < KEPT_MS) forgetLater(name, parsed);
    else kept.delete(name);
  }, KEPT_MS);
}
