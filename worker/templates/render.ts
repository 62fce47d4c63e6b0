/** Shows how a run would go, without effect. Spec: "Render result". */
import type { Json } from '../../proto/json.ts';
import { orderedText } from '../../proto/ordered-json.ts';
import type { Context } from '../context.ts';
import { JsonBytes } from '../http/route.ts';
import type { Template } from './access.ts';
import { type Call, inputOf, readyToRun } from './run.ts';

const encoder = new TextEncoder();

/**
 * Every step, with what was found wrong; nothing is sent to any endpoint.
 * @throws GatewayError FORBIDDEN, TEMPLATE_NOT_FOUND, ENDPOINT_NOT_FOUND, TEMPLATE_FAILED
 */
export async function renderTemplate(
  ctx: Context,
  template: Template,
  call: Call,
): Promise<Json | JsonBytes> {
  const ready = await readyToRun(ctx, template, call, false);
  const { compiled, meter, run } = ready;
  const { budget } = run;
  const started = ctx.now();
  const input = inputOf(ready, call);
  const shown = await meter.compute(() => ({ of: compiled.render(input, run) }));
  const { success, ...rendered } = await shown.of;
  meter.end();
  const told = {
    success,
    processingTimeMs: Math.round(ctx.now() - started),
    fuel: Math.round(budget.bounds.fuel - Math.max(0, budget.fuel)),
    ...rendered,
  };
  const json = told as unknown as Json; // Of members that are JSON.
  return compiled.keepsText === true ? new JsonBytes(encoder.encode(orderedText(json))) : json;
}
