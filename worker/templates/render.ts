/** Shows how a run would go, without effect. Spec: "Render result". */
import type { Json } from '../../proto/json.ts';
import type { Context } from '../context.ts';
import type { Template } from './access.ts';
import { type Call, readyToRun } from './run.ts';

/**
 * Every step, with what was found wrong; nothing is sent to any endpoint.
 * @throws GatewayError FORBIDDEN, TEMPLATE_NOT_FOUND, ENDPOINT_NOT_FOUND, TEMPLATE_FAILED
 */
export async function renderTemplate(ctx: Context, template: Template, call: Call): Promise<Json> {
  const { compiled, run } = await readyToRun(ctx, template, call, false);
  const { budget } = run;
  const started = ctx.now();
  const { success, ...rendered } = await compiled.render(call.input, run);
  const told = {
    success,
    processingTimeMs: Math.round(ctx.now() - started),
    fuel: Math.round(budget.bounds.fuel - Math.max(0, budget.fuel)),
    ...rendered,
  };
  return told as unknown as Json; // Of members that are JSON.
}
