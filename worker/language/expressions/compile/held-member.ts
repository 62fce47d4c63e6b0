/** Code that reads one member of what a variable holds. */
import type { Value } from '../value.ts';
import type { Code } from './code.ts';

/** What is in the slot of a variable that is not shared, as far as a name matters that no prototype has. */
type Holding = { readonly [name: string]: Value } | null | undefined;

/** The member, by a name that no prototype has, of the value in the slot of a variable that is not shared. */
export function memberIn(slot: number, name: string): Code {
  return (frame) => {
    const value = frame[slot] as Holding;
    return typeof value === 'object' && value !== null ? value[name] : undefined;
  };
}
