/** How large values are as JSON, found without writing them, and no further than there is room for. */
import { isRawJson, type Json } from '../../proto/json.ts';
import type { Budget } from '../paths/budget.ts';

/** Bytes that a value takes which is no text, array or object; members and elements have a comma. */
const SCALAR_BYTES = 5;
/** Steps of an array or object, and characters that cost one more. */
const STEPS_PER_CONTAINER = 4;
const STEPS_PER_CHILD = 2;
const CHARACTERS_PER_STEP = 8;

/** A value's size as JSON, in about so many bytes; once it is over `most`, whatever was counted by then. */
export function sizeOf(value: Json, most: number, budget: Budget): number {
  let size = 0;
  const left: Json[] = [value];
  for (let each = left.pop(); each !== undefined; each = left.pop()) {
    if (typeof each === 'string') size += sizeOfText(each, budget);
    else if (typeof each !== 'object' || each === null) size += SCALAR_BYTES;
    else if (isRawJson(each)) size += sizeOfText(each.rawJSON, budget);
    else size += open(each, left, budget);
    if (size > most) break;
  }
  return size;
}

function sizeOfText(text: string, budget: Budget): number {
  budget.charge(Math.ceil(text.length / CHARACTERS_PER_STEP));
  return text.length + 3;
}

/** Puts what is within on the list; answers what stands around it. */
function open(container: Json[] | { [name: string]: Json }, left: Json[], budget: Budget): number {
  budget.charge(STEPS_PER_CONTAINER);
  if (Array.isArray(container)) {
    budget.charge(STEPS_PER_CHILD * container.length);
    for (const each of container) left.push(each);
    return 2;
  }
  let size = 2;
  let count = 0;
  for (const name in container) {
    if (!Object.hasOwn(container, name)) continue;
    count += 1;
    size += name.length + 4;
    left.push(container[name] ?? null);
  }
  budget.charge(2 * STEPS_PER_CHILD * count + Math.ceil(size / CHARACTERS_PER_STEP));
  return size;
}
