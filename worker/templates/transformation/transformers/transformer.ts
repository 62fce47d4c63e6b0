/** What a transformer is, and what those of all sorts need. Contract §8, §13. */
import {
  isJsonObject,
  isRawJson,
  type Json,
  type JsonObject,
  parseJson,
  type RawJson,
} from '../../../../proto/json.ts';
import { isWrittenOtherwise } from '../../../../proto/written-json.ts';
import type { Execution } from '../execution.ts';
import { RuleFault } from '../failure.ts';

/** A value on its way: undefined where it is not there. */
export type Passing = Json | undefined;

/** What a transformer does with a value that is there and not null. @throws RuleFault for one that it cannot take */
type Transform = (value: NonNullable<Json>, x: Execution) => Passing;

/** What an argument may be. */
type ArgumentKind = 'text' | 'integer' | 'any' | 'name' | 'path' | readonly string[];

/** An argument of a transformer. */
export interface Argument {
  readonly name: string;
  readonly kind: ArgumentKind;
  /** Left out where there is none. */
  readonly isOptional?: boolean;
  /** Any number of them. */
  readonly isRest?: boolean;
  readonly least?: number;
  readonly most?: number;
}

/** A transformer, with all that its documentation says. */
export interface Transformer {
  readonly name: string;
  readonly args?: readonly Argument[];
  /** One sentence. */
  readonly about: string;
  readonly example: {
    readonly input: Json;
    readonly args?: readonly Json[];
    readonly output: Json;
  };
  /** Whether it hands a number on as it is; others work with what it is, however it is written. */
  readonly passesNumbers?: true;
  /** Made once for each place that names it; arguments fit by then. */
  make(args: readonly Json[]): Transform;
  /** Instead of what happens to every other transformer: null and what is not there pass through. */
  readonly ofNothing?: (args: readonly Json[]) => Json;
}

/** @throws RuleFault */
export function textIn(value: Json): string {
  if (typeof value === 'string') return value;
  throw new RuleFault(`takes a text, not ${kindOf(value)}`);
}

/** A text that is going to be looked at as a whole. @throws RuleFault, RunOver */
export function chargedText(value: Json, x: Execution): string {
  const text = textIn(value);
  x.spend(1 + (text.length >> 5));
  x.take(16 + text.length);
  return text;
}

/** An array that is going to be looked at as a whole, and copied. @throws RuleFault, RunOver */
export function chargedArray(value: Json, x: Execution): readonly Json[] {
  if (!Array.isArray(value)) throw new RuleFault(`takes an array, not ${kindOf(value)}`);
  x.spend(1 + (value.length >> 1));
  x.take(28 + 8 * value.length);
  return value;
}

/** @throws RuleFault, RunOver */
export function chargedObject(value: Json, x: Execution): JsonObject {
  if (!isJsonObject(value)) throw new RuleFault(`takes an object, not ${kindOf(value)}`);
  const { length } = Object.keys(value);
  x.spend(1 + memberSteps(length));
  x.take(28 + 24 * length);
  return value;
}

/** Members up to which the host reads and makes an object fast; beyond it keeps a table. */
const FAST_MEMBERS = 128;
const TABLE_STEPS = 8;

/** What reading or making members takes. */
export function memberSteps(count: number): number {
  return count > FAST_MEMBERS ? TABLE_STEPS * count : count;
}

/** @throws RuleFault */
export function numberIn(value: Json): number | RawJson {
  if (typeof value === 'number' || isRawJson(value)) return value;
  throw new RuleFault(`takes a number, not ${kindOf(value)}`);
}

/** What a value is, in words. */
export function kindOf(value: Json): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return isRawJson(value) ? 'a number' : 'an object';
  return typeof value === 'string' ? 'a text' : `a ${typeof value}`;
}

/** JSON text of any value, as JavaScript writes numbers; charged. @throws RunOver */
export function jsonText(value: Json, x: Execution): string {
  const written = JSON.stringify(value);
  x.spend(1 + (written.length >> 2));
  x.take(16 + written.length);
  if (!isWrittenOtherwise(written)) return written;
  x.spend(written.length);
  const text = JSON.stringify(parseJson(written));
  x.take(text.length);
  return text;
}
