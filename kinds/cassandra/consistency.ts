/** Consistency levels by their names and by the numbers that the protocol has for them. */
import * as z from 'zod';

/** Numbers of the levels. Source: CQL binary protocol v4, section 3, `[consistency]`. */
export const CONSISTENCIES = {
  any: 0,
  one: 1,
  two: 2,
  three: 3,
  quorum: 4,
  all: 5,
  local_quorum: 6,
  each_quorum: 7,
  serial: 8,
  local_serial: 9,
  local_one: 10,
} as const;
const SERIAL = { serial: 8, local_serial: 9 } as const;

/** The number of a level by its name in any letter case; undefined for an unknown name. */
export function consistencyNamed(name: string): number | undefined {
  const lower = name.toLowerCase();
  return Object.hasOwn(CONSISTENCIES, lower)
    ? CONSISTENCIES[lower as keyof typeof CONSISTENCIES] // It has that member.
    : undefined;
}

/** In small letters, and in capitals as the server writes them. */
function inEitherCase<Name extends string>(names: readonly Name[]) {
  return z.enum([...names, ...names.map((name) => name.toUpperCase() as Uppercase<Name>)]);
}

/** Member `consistency` of a request. */
export const Consistency = inEitherCase(
  Object.keys(CONSISTENCIES) as (keyof typeof CONSISTENCIES)[], // The object has no other members.
).meta({
  description: "How many replicas must answer; left out, the connection's own (`local_one`)",
  examples: ['local_quorum'],
});

/** Member `serial_consistency` of a request. */
export const SerialConsistency = inEitherCase(
  Object.keys(SERIAL) as (keyof typeof SERIAL)[], // As above.
).meta({
  description: 'How many replicas must agree on a condition (`IF …`); left out, `serial`',
  examples: ['local_serial'],
});
