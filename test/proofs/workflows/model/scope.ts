/** Values and expressions, evaluated by JavaScript itself: a subset on which both languages agree. Spec: workflows.md §2. */
import { compileFunction } from 'node:vm';
import type { Json } from '../../../../proto/json.ts';
import type { Env, Ran, World } from './world.ts';

type Run = (...values: unknown[]) => unknown;

const known = new Map<string, Run>();

/** An expression has thrown. */
export class ExpressionFailed extends Error {}

/** From where an expression looks. */
interface View {
  readonly env: Env;
  readonly error?: Json | undefined;
}

/** The value of an expression. @throws ExpressionFailed */
export function evaluate(
  world: World,
  source: string,
  view: View,
  beside: { readonly [name: string]: Json | undefined } = {},
  event?: Json,
): Json | undefined {
  const run = known.get(source) ?? (compileFunction(`return (${source})`, ['$', 'event']) as Run);
  known.set(source, run);
  try {
    const value = run({ ...rootOf(world, view), ...beside }, event);
    const text = JSON.stringify(value);
    return text === undefined ? undefined : (JSON.parse(text) as Json);
  } catch (thrown) {
    throw new ExpressionFailed(source, { cause: thrown });
  }
}

/** A value with its expressions evaluated. @throws ExpressionFailed */
export function filled(
  world: World,
  value: Json,
  view: View,
  beside: { readonly [name: string]: Json | undefined } = {},
): Json | undefined {
  if (typeof value === 'string') {
    if (value.startsWith('$$')) return value.slice(1);
    if (value.startsWith('$(')) return evaluate(world, value.slice(2, -1), view, beside);
    const isExpression = value === '$' || value.startsWith('$.') || value.startsWith('$[');
    return isExpression ? evaluate(world, value, view, beside) : value;
  }
  if (Array.isArray(value)) return value.map((each) => filled(world, each, view, beside) ?? null);
  if (value === null || typeof value !== 'object') return value;
  const members = Object.entries(value).flatMap(([name, each]) => {
    const made = each === undefined ? undefined : filled(world, each, view, beside);
    return made === undefined ? [] : [[name, made] as const];
  });
  return Object.fromEntries(members);
}

function rootOf(world: World, { env, error }: View) {
  const actions: Record<string, unknown> = {};
  for (const id of world.tree.byId.keys()) {
    const path = pathOf(world, id, env);
    const ran = path === undefined ? undefined : world.ran.get(path);
    if (ran) actions[id] = toldOf(ran);
  }
  const elements: Record<string, Json | undefined> = {};
  for (const [loop, index] of env) {
    const { as = 'item', index: name } = world.tree.byId.get(loop)?.action ?? {};
    const path = pathOf(world, loop, env) ?? '';
    elements[as] = world.elements.get(path)?.[index];
    if (name !== undefined) elements[name] = index;
  }
  const shown = error ?? world.routed;
  return {
    input: world.input,
    actions,
    ...elements,
    ...(shown === undefined ? {} : { error: shown }),
  };
}

function toldOf({ status, attempts, output, by }: Ran) {
  return {
    ...{ status, attempts: Math.max(attempts, 1), output },
    ...(by === undefined ? {} : { by }),
  };
}

/** Where the action of an id is; undefined where an element of a loop would have to be chosen. */
function pathOf(world: World, id: string, env: Env): string | undefined {
  const standing = world.tree.byId.get(id);
  if (!standing) return undefined;
  const { part, container, branch } = standing;
  if (part === 'top') return id;
  const above = container && pathOf(world, container.id, env);
  if (container === undefined || above === undefined) return undefined;
  if (part === 'branch') return `${above}[${branch}].${id}`;
  if (part !== 'element') return `${above}.${id}`;
  const index = env.get(container.id);
  return index === undefined ? undefined : `${above}[${index}].${id}`;
}
