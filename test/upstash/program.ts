/** A program of @upstash/redis, as its users write them: every server must answer alike. */
import type { Redis } from '@upstash/redis';
import { COLLECTIONS } from './collections.ts';
import { DOCUMENTS } from './documents.ts';
import { VALUES } from './values.ts';

/** One thing that a program asks; what it is answered may depend on those before. */
export type Step = readonly [name: string, ask: (redis: Redis) => Promise<unknown>];

/** What every step came to. */
type Outcome = readonly (readonly [name: string, answer: unknown])[];

const STEPS: readonly Step[] = [...VALUES, ...COLLECTIONS, ...DOCUMENTS];

/** Runs all steps one after another; an error is its message. */
export async function runProgram(redis: Redis, steps = STEPS): Promise<Outcome> {
  const outcome: [string, unknown][] = [];
  for (const [name, ask] of steps) {
    outcome.push([name, await ask(redis).catch(messageOf)]);
  }
  return outcome;
}

function messageOf(thrown: unknown): unknown {
  return { failed: thrown instanceof Error ? thrown.message : thrown };
}
