/** What some kinds have and others cannot: a kind that lacks a part says so before the run, and has no test of it. */
import { describe, expect, test } from 'vitest';
import { type Abilities, type BackendClient, can } from '../../proto/driver.ts';
import type { DriverCase } from './contract.ts';

const OF_CASE = ['conflict', 'running', 'dropIdle', 'state'] as const;
const ABILITIES = [
  'stream',
  'transact',
  'lease',
  'watch',
  'inspect',
  'warnings',
  'join',
  'prepare',
  'changes',
  'once',
] as const satisfies (keyof Abilities)[];

/** A member of the case or of its sessions that not every kind can have. */
type Part = (typeof OF_CASE)[number] | keyof Abilities;

/** The parts that a kind cannot have, each with its reason. */
export type Lacks = { readonly [part in Part]?: string };

/** Declares tests of parts, with the runner's own timeout unless another is given: none of a part that is lacked, so that nothing untested counts as passed. */
export interface Parts {
  test(part: Part, name: string, body: () => Promise<void>, timeoutMs?: number): void;
  /** A group whose tests are all of that part. */
  describe(part: Part, name: string, body: () => void): void;
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
    describe: (part, name, body) => {
      if (lacks[part] === undefined) describe(name, body);
    },
    each: (part, values, name, body) => {
      if (lacks[part] === undefined) test.each(values)(name, body);
    },
  };
}

/** @throws Error when the part is absent, though its kind does not say that it lacks it */
export function given<Value>(value: Value | undefined, part: string): Value {
  if (value === undefined) throw new Error(`${part}: neither given nor said to be lacked`);
  return value;
}

/**
 * The client by an ability of its driver.
 * @throws Error when the driver does not have it, though its kind does not say that it lacks it
 */
export function able<Request, Ability extends keyof Abilities>(
  client: BackendClient<Request>,
  ability: Ability,
): BackendClient<Request> & Abilities<Request>[Ability] {
  if (!can(client, ability)) throw new Error(`${ability}: neither declared nor said to be lacked`);
  return client;
}

/** Fails unless what is absent is what is said to be lacked, no more and no less. */
export function expectAbsent<Request>(
  lacks: Lacks,
  kind: DriverCase<Request>,
  client: BackendClient<Request>,
): void {
  const absent: Part[] = [
    ...OF_CASE.filter((part) => kind[part] === undefined),
    ...ABILITIES.filter((part) => !can(client, part)),
  ];
  expect(absent.toSorted()).toEqual(Object.keys(lacks).toSorted());
}
