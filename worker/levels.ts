/** The five access levels, and which of them is in force on a resource. */
import * as z from 'zod';

/** Lowest first. Spec: "RBAC", level semantics. */
export const LEVELS = ['None', 'Read', 'Write', 'Admin', 'SuperAdmin'] as const;
export type Level = (typeof LEVELS)[number];

/** One of the five levels, spelt as the specification does. */
export const AccessLevel = z.enum(LEVELS).meta({
  id: 'AccessLevel',
  description:
    'What a subject may do, each level with all below it: `Read` shows and reads, `Write` changes data, templates and workflows, `Admin` administers endpoints, users and permissions, `SuperAdmin` everything; `None` denies',
  examples: ['Write'],
});

/** Whether `held` is enough where `needed` is asked for. */
export function reaches(held: Level, needed: Level): boolean {
  return LEVELS.indexOf(held) >= LEVELS.indexOf(needed);
}

/** The lower of two levels. */
export function lowerOf(one: Level, other: Level): Level {
  return reaches(one, other) ? other : one;
}

/** Rules of one caller: those on the organization, and those on the resource acted on. */
interface RulesInForce {
  readonly onOrganization: readonly Level[];
  readonly onResource: readonly Level[];
  /** What a personal key gives there at most. */
  readonly limit?: Level | undefined;
}

/**
 * The level in force on a resource. Contract §4, "Resolution": an explicit `None` on the
 * organization denies; its SuperAdmin is unrestricted; else a rule on the resource replaces
 * the organization's; no rule at all is `None`. Of several rules of one tier the most
 * restrictive counts.
 */
export function effectiveLevel(rules: RulesInForce): Level {
  const level = levelByRules(rules);
  const { limit } = rules;
  return limit === undefined ? level : lowerOf(level, limit);
}

function levelByRules({ onOrganization, onResource }: RulesInForce): Level {
  const organization = mostRestrictive(onOrganization);
  if (organization === 'None' || organization === 'SuperAdmin') return organization;
  return mostRestrictive(onResource) ?? organization ?? 'None';
}

function mostRestrictive(levels: readonly Level[]): Level | undefined {
  return LEVELS.find((level) => levels.includes(level));
}
