/** `mapping`: a value by another one. Contract §8, specification "Transformation rule members". */
import { isJsonObject, isRawJson, type Json, numberText } from '../../../proto/json.ts';
import { plainNumber } from '../../../proto/passed.ts';
import { RuleFault } from './failure.ts';
import type { Members } from './report.ts';
import type { Step } from './transformers/index.ts';

/**
 * Reads `mapping`: from a value's text to what replaces it. Spec silent: a value that it
 * does not name leaves the target out, as what is not there does.
 */
export function mappingOf(rule: Members): Step | undefined {
  const members = rule.members('mapping');
  if (members === undefined) return undefined;
  const values = new Map(Object.entries(members.object));
  return {
    name: 'mapping',
    apply: (value, x) => {
      if (value === undefined) return undefined;
      x.spend(1);
      return values.get(typeof value === 'string' ? value : nameOf(value));
    },
  };
}

/** @throws RuleFault */
function nameOf(value: Json): string {
  if (isRawJson(value)) return numberText(plainNumber(value));
  if (Array.isArray(value) || isJsonObject(value)) {
    throw new RuleFault('mapping takes a text, a number, a boolean or null');
  }
  return String(value);
}
