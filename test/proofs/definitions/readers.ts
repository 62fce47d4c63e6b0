/** What an action may read of others, and the names that they have. */
import type { Json } from '../../../proto/json.ts';

/** What an action reads of others. @param at of so many */
export type Reader = (at: number, count: number) => Json;

/** Ids of one length are told apart by edits alone. */
export function idOf(at: number): string {
  return `action${String(at).padStart(6, '0')}`;
}

/** At least one of something. */
export function range<Made>(count: number, make: (at: number) => Made): Made[] {
  return Array.from({ length: Math.max(1, Math.floor(count)) }, (_, at) => make(at));
}

/** Readers by what they read. */
export const READERS: Readonly<Record<string, Reader>> = {
  nothing: () => ({ a: 1 }),
  'the whole run': () => '$',
  'all actions': () => '$.actions',
  'the whole run often': () => range(20, () => '$'),
  'the action before': (at) => `$.actions.${idOf(Math.max(0, at - 1))}.output`,
  'the first action': () => `$.actions.${idOf(0)}.output`,
  'a later action': (at, count) => `$.actions.${idOf(count - 1 - at)}.output`,
  'no action': (at) => `$.actions.${idOf(at).replace('action', 'auction')}.output`,
  'a far name': (at) => `$.actions.zz_${at}.output`,
  'the shared fallback': () => '$.actions.shared.output',
  'its url': (at) => `$($.actions.${idOf(at)}.url + $)`,
  'many members': (at) =>
    Object.fromEntries(range(20, (member) => [`m${member}`, `$.actions.${idOf(at >> 1)}.output`])),
};
