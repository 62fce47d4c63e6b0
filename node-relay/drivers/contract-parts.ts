/** What some kinds have and others cannot: whoever lacks a part says so before the run, and has no test of it. */
import { expect, test } from 'vitest';
import type { Session } from '../../proto/driver.ts';
import type { DriverCase } from './contract.ts';

const OF_CASE = ['conflict', 'running', 'dropIdle', 'state', 'table'] as const;
const OF_SESSION = ['stream', 'transact', 'lease'] as const;

/** A member of the case or of its sessions that not every kind can have. */
export type Part = (typeof OF_CASE)[number] | (typeof OF_SESSION)[number];

/** The parts that a kind cannot have, each with its reason. */
export type Lacks = { readonly [part in Part]?: string };

/** Declares tests of parts, with the runner's own timeout unless another is given: none of a part that is lacked, so that nothing untested counts as passed. */
export interface Parts {
  test(part: Part, name: string, body: () => Promise<void>, timeoutMs?: number): void;
  /** For names with one `%s`. */
  each(
    part: Part,
    values: readonly (readonly [string, string])[],
    name: string,
    body: (value: string, message: string) => Promise<void>,
  ): void;
}

/** Tests of the parts that are not lacked. */
export function partsBut(lacks: Lacks): Parts {
  return {
    test: (part, name, body, timeoutMs) => {
      if (lacks[part] === undefined) test(name, body, timeoutMs);
    },
    each: (part, values, name, body) => {
      if (lacks[part] === undefined) test.each(values)(name, body);
    },
  };
}

/** @throws Error when the part is absent, though its kind does not say that it lacks it */
export function given<Value>(value: Value | undefined, part: Part): Value {
  if (value === undefined) throw new Error(`${part}: neither given nor said to be lacked`);
  return value;
}

/** Fails unless what is absent is what is said to be lacked, no more and no less. */
export function expectAbsent<Request>(
  lacks: Lacks,
  kind: DriverCase<Request>,
  session: Session<Request>,
): void {
  const absent: Part[] = [
    ...OF_CASE.filter((part) => kind[part] === undefined),
    ...OF_SESSION.filter((part) => session[part] === undefined),
  ];
  expect(absent.toSorted()).toEqual(Object.keys(lacks).toSorted());
}
