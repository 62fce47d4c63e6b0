/** What measurements have found, for `npm run bench` to gather. */
import { appendFileSync } from 'node:fs';
import * as z from 'zod';

/** Where findings go, one a line; nowhere without it. */
const FILE = process.env.BENCH_FINDINGS;

/** One thing that was measured. */
export const Finding = z.object({
  /** `64 connections: of the baseline's throughput`. */
  what: z.string(),
  /** Of the values; empty of ratios. */
  unit: z.string(),
  /** One a round. */
  values: z.array(z.number()).min(1),
  /** What the median has to reach, where something is promised. */
  atLeast: z.number().optional(),
  atMost: z.number().optional(),
});
export type Finding = z.infer<typeof Finding>;

/** What is measured besides its values; ratios have no unit. */
interface Told {
  readonly unit?: string;
  readonly atLeast?: number;
  readonly atMost?: number;
}

/** Tells what was found in each round. */
export function tell(what: string, values: readonly number[], told: Told = {}): void {
  if (FILE === undefined) return;
  const finding: Finding = { what, unit: '', ...told, values: [...values] };
  appendFileSync(FILE, `${JSON.stringify(finding)}\n`);
}

/** Tells whether a promise holds that is no number: prints it, and ends with exit code 1 where it does not. */
export function tellHolds(sentence: string, holds: boolean): void {
  console.log(`${holds ? 'holds' : 'DOES NOT HOLD'}: ${sentence}`);
  if (!holds) process.exitCode = 1;
  tell(sentence, [holds ? 1 : 0], { unit: 'holds', atLeast: 1 });
}

/** The middle of some numbers; NaN of none. */
export function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** Whether the median meets the bar; true where there is none. */
export function meets({ values, atLeast, atMost }: Finding): boolean {
  const middle = median(values);
  return middle >= (atLeast ?? middle) && middle <= (atMost ?? middle);
}
