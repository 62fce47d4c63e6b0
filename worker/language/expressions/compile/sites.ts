/**
 * Code that reads one member each. An engine remembers at each place of a source which names and
 * objects it has seen there, and is faster where there are few of them: so many places that are
 * the same, handed out in turn. For price and gain see worker/templates/transformation/sites.ts.
 */
import type { Value } from '../value.ts';
import type { Code } from './code.ts';

/** What is in the slot of a variable that is not shared, as far as a name matters that no prototype has. */
type Holding = { readonly [name: string]: Value } | null | undefined;
type Site = (slot: number, name: string) => Code;

const SITES: readonly [Site, ...Site[]] = [
  (slot, name) => (frame) => {
    const value = frame[slot] as Holding;
    return typeof value === 'object' && value !== null ? value[name] : undefined;
  },
  (slot, name) => (frame) => {
    const value = frame[slot] as Holding;
    return typeof value === 'object' && value !== null ? value[name] : undefined;
  },
  (slot, name) => (frame) => {
    const value = frame[slot] as Holding;
    return typeof value === 'object' && value !== null ? value[name] : undefined;
  },
  (slot, name) => (frame) => {
    const value = frame[slot] as Holding;
    return typeof value === 'object' && value !== null ? value[name] : undefined;
  },
  (slot, name) => (frame) => {
    const value = frame[slot] as Holding;
    return typeof value === 'object' && value !== null ? value[name] : undefined;
  },
  (slot, name) => (frame) => {
    const value = frame[slot] as Holding;
    return typeof value === 'object' && value !== null ? value[name] : undefined;
  },
  (slot, name) => (frame) => {
    const value = frame[slot] as Holding;
    return typeof value === 'object' && value !== null ? value[name] : undefined;
  },
  (slot, name) => (frame) => {
    const value = frame[slot] as Holding;
    return typeof value === 'object' && value !== null ? value[name] : undefined;
  },
  (slot, name) => (frame) => {
    const value = frame[slot] as Holding;
    return typeof value === 'object' && value !== null ? value[name] : undefined;
  },
  (slot, name) => (frame) => {
    const value = frame[slot] as Holding;
    return typeof value === 'object' && value !== null ? value[name] : undefined;
  },
  (slot, name) => (frame) => {
    const value = frame[slot] as Holding;
    return typeof value === 'object' && value !== null ? value[name] : undefined;
  },
  (slot, name) => (frame) => {
    const value = frame[slot] as Holding;
    return typeof value === 'object' && value !== null ? value[name] : undefined;
  },
  (slot, name) => (frame) => {
    const value = frame[slot] as Holding;
    return typeof value === 'object' && value !== null ? value[name] : undefined;
  },
  (slot, name) => (frame) => {
    const value = frame[slot] as Holding;
    return typeof value === 'object' && value !== null ? value[name] : undefined;
  },
  (slot, name) => (frame) => {
    const value = frame[slot] as Holding;
    return typeof value === 'object' && value !== null ? value[name] : undefined;
  },
  (slot, name) => (frame) => {
    const value = frame[slot] as Holding;
    return typeof value === 'object' && value !== null ? value[name] : undefined;
  },
];
let handed = 0;

/** The member, by a name that no prototype has, of the value in the slot of a variable that is not shared. */
export function memberIn(slot: number, name: string): Code {
  handed = (handed + 1) % SITES.length;
  return (SITES[handed] ?? SITES[0])(slot, name);
}
