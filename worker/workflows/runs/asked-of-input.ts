/** What a start asks of its input: whether it fits, how the run is called, and the gate that it passes. Spec: workflows.md §6. */
import { GatewayError } from '../../../proto/errors.ts';
import { type Json, parseJson } from '../../../proto/json.ts';
import { truncated } from '../../../proto/truncate.ts';
import type { Pieces } from '../../../proto/work/pieces.ts';
import { Budget, Fault, type Plain } from '../../language/expressions/index.ts';
import { settingsOf } from '../../settings.ts';
import type { Expr, Workflow } from '../definition/tree.ts';
import { LARGE_TEXT, NotReady } from '../engine/ready-values.ts';
import { digestNow } from './digest.ts';
import type { Order } from './head.ts';
import type { Refusal, StartFault } from './object.ts';
import type { ParsedText } from './parsed-values.ts';
import type { Reachable } from './reachable.ts';

/** Characters of a run's key that are kept. Spec silent. */
const KEY_MAX = 255;
/** The index of runs would keep another text: runs of several keys would have one, and none be found by its own. */
const NO_UNICODE: Refusal = {
  code: 'EXPRESSION_FAILED',
  faults: [{ path: 'key', message: 'must be valid Unicode' }],
};

/** What is wrong with an input, in pieces. */
export function* inputFaults(
  { input }: Pick<Workflow, 'input'>,
  value: Json,
): Pieces<readonly StartFault[]> {
  if (!input) return [];
  try {
    const faults = yield* input.compiled.inPieces(value);
    return faults.map(({ path, message }) => ({ path: path === '' ? 'body' : path, message }));
  } catch (thrown) {
    if (thrown instanceof GatewayError) return [{ path: 'body', message: thrown.message }];
    throw thrown;
  }
}

/** The same at once, or by turns where it takes long. */
function faultsInTurn({ computing }: Reachable['driver'], workflow: Workflow, value: Json) {
  const checking = inputFaults(workflow, value);
  const first = checking.next();
  return first.done ? first.value : computing.inTurn(checking);
}

/** What follows from the input of a start. */
export interface StartNames {
  readonly key?: string;
  readonly gate?: { readonly name: string; readonly max: number };
  readonly refusal?: Refusal;
}

/** The run's name, and the gate that it passes; or why its input is refused. */
export async function namesOf(
  { env, driver }: Reachable,
  workflow: Workflow,
  order: Order,
  parsed: ParsedText | undefined,
): Promise<StartNames> {
  if (order.refusal) return { refusal: order.refusal };
  const input = asksOfInput(workflow) ? plainInput(order.input, parsed) : null;
  const faults = await faultsInTurn(driver, workflow, input);
  if (faults.length > 0) return { refusal: { code: 'INVALID_INPUT', faults } };
  const { fuel, depth, output_bytes: outputBytes } = settingsOf(env).TEMPLATE_BUDGETS;
  const budget = new Budget({ fuel, depth, outputBytes }, Date.now());
  const evaluate = (expression: Expr) => expression.evaluate({ input: input as Plain }, budget);
  const { key: named, settings } = workflow;
  const { maxConcurrency: max, concurrencyKey } = settings;
  let at = 'key';
  try {
    const key = keyOf(named && evaluate(named));
    if (key === undefined) return { refusal: NO_UNICODE };
    at = 'executionSettings.concurrencyKey';
    const group = concurrencyKey && max !== undefined ? evaluate(concurrencyKey) : undefined;
    if (max === undefined) return key;
    const name = digestNow(JSON.stringify(['gate', order.workflow.uuid, group ?? null]));
    return { ...key, gate: { name, max } };
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown;
    const fault = { path: at, message: thrown.message };
    return { refusal: { code: 'EXPRESSION_FAILED', faults: [fault] } };
  } finally {
    driver.computing.spent(fuel - budget.fuel);
  }
}

/** @throws NotReady of a large one that was not parsed */
function plainInput(input: string, parsed: ParsedText | undefined): Json {
  if (parsed) return parsed.plain;
  if (input.length >= LARGE_TEXT) throw new NotReady(input);
  return parseJson(input);
}

/** Whether a start asks something of the input, which may be large. */
function asksOfInput({ input, key, settings: { concurrencyKey } }: Workflow): boolean {
  return input !== undefined || key !== undefined || concurrencyKey !== undefined;
}

/** Undefined of what is no valid Unicode. */
function keyOf(value: Plain | undefined): Pick<StartNames, 'key'> | undefined {
  if (value === undefined || value === null) return {};
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (!text.isWellFormed()) return undefined;
  return { key: truncated(text, KEY_MAX) };
}
