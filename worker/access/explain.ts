/** Why a level is in force: the rule that made it, those it went before, and what would change it. */
import { effectiveLevel, LEVELS, type Level, lowerOf, reaches } from '../levels.ts';

/** Kinds of resource that rules are held on, besides the organization itself. */
export const ENTITY_KINDS = ['endpoint', 'template', 'workflow'] as const;
export type EntityKind = (typeof ENTITY_KINDS)[number];

/** One resource, by the name that the caller knows it by. */
export interface Entity {
  readonly kind: EntityKind;
  readonly id: string;
}

/** A rule as it is told. */
export interface ToldRule {
  /** Absent for a rule on the organization. */
  readonly kind?: EntityKind;
  /** A username, or `group:<name>`. */
  readonly subject: string;
  readonly level: Level;
  /** The rule's own level, where the bound of an identity provider is lower. */
  readonly granted?: Level;
}

/** What is asked: whether these rules are enough. */
export interface Question {
  readonly rules: readonly ToldRule[];
  readonly needed: Level;
  /** The subjects that may get a level: the user, or the groups of an external user. */
  readonly subjects: readonly string[];
  /** What is acted on, unless it is the organization. */
  readonly entity: Entity | undefined;
  /** What a personal key gives there at most. */
  readonly limit?: { readonly level: Level; readonly key: string };
}

/** Contract §13, `GET /iam/rbac/check`. */
export interface Explanation {
  readonly allowed: boolean;
  readonly level: Level;
  readonly needed: Level;
  /** The one of `considered` that decides. */
  readonly rule: string;
  /** Rules on the organization, then those on the resource; in each the most restrictive first. */
  readonly considered: readonly Considered[];
  /**
   * A body for `POST /iam/rbac/{organizations, endpoints, …}/subjects` that would make it allowed:
   * to the user rather than to a group, on the resource rather than on the organization, the
   * lowest level. Absent when it is allowed, and when no single grant would do.
   */
  readonly grant?: Grant;
}

/** One rule of an explanation. */
interface Considered {
  readonly rule: string;
  readonly decides: boolean;
  readonly why: string;
}

/** Spec: "Access record (RBAC)". */
export type Grant = { readonly access_level: Level; readonly subject: string } & {
  readonly [idMember in `${EntityKind}_id`]?: string;
};

const DENIED = 'An explicit None on the organization denies everything';
const UNRESTRICTED =
  'SuperAdmin of the organization is unrestricted: no rule on a resource lowers it';
const REPLACES = "A rule on the resource replaces the organization's level";
const BASELINE = "Without a rule on the resource the organization's level counts";
const HELD = 'It is the level on the organization';
const LIMITED = "A personal key has the lower of its own level and its owner's";
const STRICTER = 'Of several rules on the same the most restrictive counts';
const NOTHING: Considered = {
  rule: 'no rule',
  decides: true,
  why: 'Without a rule there is no access',
};

/** Explains a decision of `effectiveLevel` over the same rules. Contract §4, "Resolution". */
export function explain(question: Question): Explanation {
  const { rules, needed, limit } = question;
  const byRules = levelUnder(rules);
  const level = limit ? lowerOf(byRules, limit.level) : byRules;
  const considered = limit ? underLimit(consider(question), byRules, limit) : consider(question);
  const allowed = reaches(level, needed);
  const isLimited = limit !== undefined && !reaches(limit.level, needed);
  const grant = allowed || isLimited ? undefined : smallestGrant(question);
  const decider = considered.find(({ decides }) => decides) ?? NOTHING;
  return {
    allowed,
    level,
    needed,
    rule: decider.rule,
    considered,
    ...(grant ? { grant } : {}),
  };
}

/** The level in the key is told last, and decides where it is the lower one. */
function underLimit(
  considered: readonly Considered[],
  byRules: Level,
  { level, key }: NonNullable<Question['limit']>,
): readonly Considered[] {
  const decides = !reaches(level, byRules);
  const others = considered.map((each) => (decides ? { ...each, decides: false } : each));
  return [...others, { rule: `key: ${level} in ${key}`, decides, why: LIMITED }];
}

/** The level that these rules give. */
function levelUnder(rules: readonly ToldRule[]): Level {
  return effectiveLevel({
    onOrganization: rules.filter(({ kind }) => kind === undefined).map(({ level }) => level),
    onResource: rules.filter(({ kind }) => kind !== undefined).map(({ level }) => level),
  });
}

/** The rules once the subject has been given a level: it replaces what the subject had there. */
export function rulesAfter(
  rules: readonly ToldRule[],
  { subject, level, kind }: ToldRule,
): ToldRule[] {
  const others = rules.filter((rule) => rule.subject !== subject || rule.kind !== kind);
  return [...others, { subject, level, ...(kind ? { kind } : {}) }];
}

function consider({ rules, entity }: Question): readonly Considered[] {
  const organization = restrictiveFirst(rules.filter(({ kind }) => kind === undefined));
  const resource = restrictiveFirst(rules.filter(({ kind }) => kind !== undefined));
  const [first] = organization;
  const isFinal = first?.level === 'None' || first?.level === 'SuperAdmin';
  const [finalWhy, baseWhy] = [
    first?.level === 'None' ? DENIED : UNRESTRICTED,
    entity ? BASELINE : HELD,
  ];
  const decider = isFinal ? first : (resource[0] ?? first);
  if (!decider) return [NOTHING];
  const whyOf = (rule: ToldRule): string => {
    const isOfResource = rule.kind !== undefined;
    if (rule !== (isOfResource ? resource[0] : first)) return STRICTER;
    if (isFinal) return finalWhy;
    return isOfResource || decider !== rule ? REPLACES : baseWhy;
  };
  return [...organization, ...resource].map((rule) => ({
    rule: nameOf(rule, entity),
    decides: rule === decider,
    why: whyOf(rule),
  }));
}

function restrictiveFirst(rules: readonly ToldRule[]): ToldRule[] {
  return rules.toSorted(
    (one, other) =>
      LEVELS.indexOf(one.level) - LEVELS.indexOf(other.level) ||
      (one.subject < other.subject ? -1 : 1),
  );
}

function nameOf(rule: ToldRule, entity: Entity | undefined): string {
  const { kind, level, subject, granted } = rule;
  const where = entity && kind === entity.kind ? `${kind} ${entity.id}` : (kind ?? 'organization');
  const bound = granted === undefined ? '' : ` (${granted}, lowered by the issuer's max_level)`;
  return `${where}: ${level} for ${subject}${bound}`;
}

function smallestGrant({ rules, needed, subjects, entity }: Question): Grant | undefined {
  const places = entity ? [entity.kind, undefined] : [undefined];
  for (const subject of subjects) {
    for (const kind of places) {
      const on = kind ? { kind } : {};
      const level = LEVELS.find((each) =>
        reaches(levelUnder(rulesAfter(rules, { subject, level: each, ...on })), needed),
      );
      if (level === undefined) continue;
      const idMember = kind && entity ? { [`${kind}_id`]: entity.id } : {};
      return { access_level: level, subject, ...idMember };
    }
  }
  return undefined;
}
