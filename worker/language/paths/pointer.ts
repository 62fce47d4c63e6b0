/**
 * JSON Pointer, RFC 6901 (`/a/0/b`), and the slash form without the leading slash (`a/0/b`), which
 * has ranges of elements: `..` all, `1..` from the second, `1..3` the second and third. Contract §7.
 * In both, `~1` is a slash of a name and `~0` a tilde. Spec silent: a range ends before its end, as
 * slices of JSONPath do.
 */
import { PathFault } from './fault.ts';
import type { Selector } from './query.ts';
import type { Writing } from './step.ts';

const RANGE = /^(\d*)\.\.(\d*)$/;

export const pointer: Writing = {
  top: '',
  child: (parent, key) => `${parent}/${tokenOf(key)}`,
};

export const slash: Writing = {
  top: '',
  child: (parent, key) => (parent === '' ? tokenOf(key) : `${parent}/${tokenOf(key)}`),
};

/** Whether a text without a slash is a path in the slash form all the same. */
export function isRange(text: string): boolean {
  return RANGE.test(text);
}

/** @throws PathFault */
export function parsePointer(text: string): Selector[] {
  return selectorsOf(text.slice(1), 1, tokenSelector);
}

/** @throws PathFault */
export function parseSlash(text: string): Selector[] {
  return selectorsOf(text, 0, (token, at) => rangeSelector(token) ?? tokenSelector(token, at));
}

function selectorsOf(
  text: string,
  from: number,
  selectorOf: (token: string, at: number) => Selector,
): Selector[] {
  let at = from;
  return text.split('/').map((token) => {
    const selector = selectorOf(token, at);
    at += token.length + 1;
    return selector;
  });
}

function tokenSelector(token: string, at: number): Selector {
  const wrong = token.search(/~(?![01])/);
  if (wrong >= 0) throw new PathFault('a tilde of a name is written ~0', at + wrong);
  return { kind: 'token', name: token.replaceAll('~1', '/').replaceAll('~0', '~') };
}

function rangeSelector(token: string): Selector | undefined {
  const found = RANGE.exec(token);
  if (found === null) return undefined;
  const [start, stop] = [found[1], found[2]].map((text) => (text ? Number(text) : undefined));
  return { kind: 'slice', start, stop, step: 1 };
}

function tokenOf(key: string | number): string {
  const text = String(key);
  return /[~/]/.test(text) ? text.replaceAll('~', '~0').replaceAll('/', '~1') : text;
}
