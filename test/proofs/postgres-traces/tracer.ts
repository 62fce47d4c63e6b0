/** Functions that leave as much on a session as their kind can. */
import type { Choices } from '../random.ts';

/** What a function has to look like to be in a place. */
export interface Shape {
  readonly args: readonly string[];
  readonly returns: string;
  /** Its result, as an expression of `$1`, `$2`, …; undefined for none. */
  readonly value?: string;
  /** Only this language can take its place. */
  readonly language?: 'plpgsql' | 'sql';
  /** It is made before its types are defined. */
  readonly unchecked?: boolean;
}

/** One kind of tracing function. */
export interface Variant {
  readonly volatility: 'VOLATILE' | 'STABLE' | 'IMMUTABLE';
  readonly language: 'sql' | 'plpgsql';
  readonly effect: Effect;
}

/** The custom setting by which a run is seen. */
export const MARK = 'trace.mark';
/** The key of the advisory lock that is taken. */
export const LOCK = 77;
/** From which `random()` goes on. */
export const SEED = 0.42;
/** Where notifications go. */
export const CHANNEL = 'news';

const SEEDS = `setseed(${SEED})`;
const LOCKS = `pg_advisory_lock_shared(${LOCK})`;
const MARKS = `set_config('${MARK}', 'left', false)`;

/** What a function does, as expressions. Some may do only what is allowed in parallel. */
const EFFECTS = {
  everything: [
    LOCKS,
    SEEDS,
    MARKS,
    "set_config('work_mem', '64MB', false)",
    "set_config('search_path', 'trap, public, w', false)",
    `pg_notify('${CHANNEL}', 'left')`,
  ],
  role: [LOCKS, MARKS, "set_config('role', 'plain', false)"],
  'other user': [MARKS, "set_config('session_authorization', 'plain', false)"],
  quiet: [LOCKS, SEEDS],
} as const;

/** What a function leaves. */
type Effect = keyof typeof EFFECTS;

/** Only a procedural language runs these, and only where its function is VOLATILE. */
const COMMANDS = [
  'LISTEN other',
  'PREPARE traced AS SELECT 1',
  'CREATE TEMP TABLE traced (a int)',
  "SELECT nextval('public.counter')",
  'DECLARE traced CURSOR WITH HOLD FOR SELECT 1',
];

const VARIANTS: readonly Variant[] = (['IMMUTABLE', 'STABLE', 'VOLATILE'] as const).flatMap(
  (volatility) =>
    (['sql', 'plpgsql'] as const).flatMap((language) =>
      (['everything', 'quiet', 'role', 'other user'] as const).map((effect) => ({
        volatility,
        language,
        effect,
      })),
    ),
);

/** Variants in another order, of those that a shape takes. */
export function variantsFor({ language, returns }: Shape, choices: Choices): Variant[] {
  const only = /^(?:trigger|event_trigger)$/.test(returns) ? 'plpgsql' : language;
  return choices.shuffled(
    VARIANTS.filter((variant) => only === undefined || variant.language === only),
  );
}

/** The statement that makes it. */
export function tracerOf(name: string, shape: Shape, variant: Variant): string {
  const { args, returns } = shape;
  const body = variant.language === 'sql' ? sqlBody(shape, variant) : procedure(shape, variant);
  // A language without a validator takes types that are not defined yet.
  const language = shape.unchecked === true ? 'bare' : variant.language;
  // Settings cannot be set where several processes work.
  const parallel = variant.effect === 'quiet' ? 'SAFE' : 'UNSAFE';
  return `CREATE FUNCTION ${name}(${args.join(', ')}) RETURNS ${returns} LANGUAGE ${language} ${variant.volatility} PARALLEL ${parallel} AS $body$ ${body} $body$`;
}

function sqlBody({ value, returns }: Shape, { effect }: Variant): string {
  const effects = EFFECTS[effect].map((each) => `SELECT ${each};`).join(' ');
  return returns === 'void' ? effects : `${effects} SELECT ${value ?? 'NULL'};`;
}

function procedure({ value, returns }: Shape, variant: Variant): string {
  const all = EFFECTS[variant.effect].map((each) => `PERFORM ${each};`);
  const commands =
    variant.effect === 'everything' && variant.volatility === 'VOLATILE'
      ? COMMANDS.map((each) => `EXECUTE '${each.replaceAll("'", "''")}';`)
      : [];
  const apart = commands.map((each) => `BEGIN ${each} EXCEPTION WHEN others THEN NULL; END;`);
  const ends = returns === 'void' ? 'RETURN;' : `RETURN ${value ?? 'NULL'};`;
  return `BEGIN ${all.join(' ')} ${apart.join(' ')} ${returns === 'event_trigger' ? '' : ends} END`;
}
