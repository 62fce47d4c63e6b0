/** Promises of explanations: they say what is decided, and what they suggest changes it. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LEVELS, type Level } from '../levels.ts';
import {
  type Entity,
  type EntityKind,
  type Explanation,
  explain,
  type Grant,
  rulesAfter,
  type ToldRule,
} from './explain.ts';

const ORDERS: Entity = { kind: 'endpoint', id: 'orders' };
const ON_ORDERS = { kind: 'endpoint' } as const;

/** One rule in short: who, at what level, and on the resource if it is not on the organization. */
const rule = (subject: string, level: Level, on: { kind?: EntityKind } = {}): ToldRule => ({
  ...on,
  subject,
  level,
});

describe('an explanation', () => {
  test('names the rule that decides, and why the others do not', () => {
    const rules = [rule('ada', 'Admin'), rule('ada', 'None', ON_ORDERS)];
    expect(explain({ rules, needed: 'Write', subjects: ['ada'], entity: ORDERS })).toEqual({
      allowed: false,
      level: 'None',
      needed: 'Write',
      rule: 'endpoint orders: None for ada',
      considered: [
        {
          rule: 'organization: Admin for ada',
          decides: false,
          why: "A rule on the resource replaces the organization's level",
        },
        {
          rule: 'endpoint orders: None for ada',
          decides: true,
          why: "A rule on the resource replaces the organization's level",
        },
      ],
      grant: { access_level: 'Write', subject: 'ada', endpoint_id: 'orders' },
    });
  });

  test('without any rule says so', () => {
    expect(explain({ rules: [], needed: 'Read', subjects: ['ada'], entity: undefined })).toEqual({
      allowed: false,
      level: 'None',
      needed: 'Read',
      rule: 'no rule',
      considered: [{ rule: 'no rule', decides: true, why: 'Without a rule there is no access' }],
      grant: { access_level: 'Read', subject: 'ada' },
    });
  });

  test.each<[string, ToldRule[], Level, Entity | undefined, Grant | undefined]>([
    ['nothing to who may already', [rule('ada', 'Read')], 'Read', undefined, undefined],
    [
      'the organization to whom it denies',
      [rule('ada', 'None'), rule('ada', 'Write', ON_ORDERS)],
      'Write',
      ORDERS,
      { access_level: 'Read', subject: 'ada' },
    ],
    [
      'the group that holds the user back',
      [rule('ada', 'Write'), rule('group:temps', 'None')],
      'Read',
      undefined,
      { access_level: 'Read', subject: 'group:temps' },
    ],
    [
      'nothing where two would have to change',
      [rule('group:a', 'None'), rule('group:b', 'None')],
      'Read',
      undefined,
      undefined,
    ],
  ])('suggests %s', (_what, rules, needed, entity, grant) => {
    const subjects = ['ada', ...new Set(rules.map(({ subject }) => subject))];
    expect(explain({ rules, needed, subjects, entity }).grant).toEqual(grant);
  });

  test('agrees with the contract, and its grant with itself, in 100,000 random configurations', () => {
    void fc.assert(
      fc.property(configuration, ({ rules, needed, entity }) => {
        const told = explain({ rules, needed, subjects: SUBJECTS, entity });
        const level = asTheContractSays(rules);
        const allowed = isEnough(level, needed);
        const helps = (grant: Grant) => isEnough(levelWith(rules, grant), needed);
        return (
          [told.level, told.allowed].join() === [level, allowed].join() &&
          tellsEveryRule(told, rules, level) &&
          (told.grant ? !allowed && helps(told.grant) : allowed || !everyGrant(entity).some(helps))
        );
      }),
      { numRuns: 100_000 },
    );
  });
});

/** One rule decides, is of the level in force, and is among all the others. */
function tellsEveryRule(told: Explanation, rules: readonly ToldRule[], level: Level): boolean {
  const deciding = told.considered.filter(({ decides }) => decides);
  return (
    deciding.length === 1 &&
    deciding[0]?.rule === told.rule &&
    told.considered.length === Math.max(1, rules.length) &&
    (rules.length === 0 ? told.rule === 'no rule' : told.rule.includes(`: ${level} for `))
  );
}

const SUBJECTS = ['ada', 'group:a', 'group:b', 'group:c'];

/** At most one rule for each subject in each place, as they are stored. */
const configuration = fc
  .record({
    organization: fc.array(fc.option(fc.constantFrom(...LEVELS)), { minLength: 4, maxLength: 4 }),
    resource: fc.array(fc.option(fc.constantFrom(...LEVELS)), { minLength: 4, maxLength: 4 }),
    needed: fc.constantFrom(...LEVELS),
    onResource: fc.boolean(),
  })
  .map(({ organization, resource, needed, onResource }) => ({
    needed,
    entity: onResource ? ORDERS : undefined,
    rules: SUBJECTS.flatMap((subject, at) => [
      ...(organization[at] ? [rule(subject, organization[at])] : []),
      ...(onResource && resource[at] ? [rule(subject, resource[at], ON_ORDERS)] : []),
    ]),
  }));

/** The contract's five sentences, one after the other, in numbers. */
function asTheContractSays(rules: readonly ToldRule[]): Level {
  const rank = { None: 0, Read: 1, Write: 2, Admin: 3, SuperAdmin: 4 };
  const lowest = (of: readonly ToldRule[]) => Math.min(...of.map(({ level }) => rank[level]));
  const organization = lowest(rules.filter((each) => each.kind === undefined));
  const resource = lowest(rules.filter((each) => each.kind !== undefined));
  const name = (at: number) => (['None', 'Read', 'Write', 'Admin', 'SuperAdmin'] as const)[at];
  if (organization === 0) return 'None';
  if (organization === 4) return 'SuperAdmin';
  return name(resource) ?? name(organization) ?? 'None';
}

function isEnough(held: Level, needed: Level): boolean {
  const order = 'None Read Write Admin SuperAdmin';
  return order.indexOf(held) >= order.indexOf(needed);
}

function levelWith(rules: readonly ToldRule[], grant: Grant): Level {
  const { subject, access_level: level } = grant;
  return asTheContractSays(
    rulesAfter(rules, { subject, level, ...(grant.endpoint_id ? ON_ORDERS : {}) }),
  );
}

function everyGrant(entity: Entity | undefined): Grant[] {
  return SUBJECTS.flatMap((subject) =>
    LEVELS.flatMap((level) => [
      { access_level: level, subject },
      ...(entity ? [{ access_level: level, subject, endpoint_id: entity.id }] : []),
    ]),
  );
}
