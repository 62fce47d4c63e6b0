/** Shows how a run would go, without effect. Spec: "Render result". */
import type { Json } from '../../proto/json.ts';
import { asMoved } from '../../proto/ordered-json.ts';
import { inputOf, type ReadyTemplate, readyToRun, type TemplateCall } from '../calls/template.ts';
import type { Context } from '../context.ts';
import { type Outcome, outcomeOf } from '../outcome.ts';
import type { Template } from './access.ts';

/**
 * Every step, with what was found wrong; nothing is sent to any endpoint.
 */
export function renderTemplate(
  ctx: Context,
  template: Template,
  call: TemplateCall,
): Promise<Outcome> {
  return outcomeOf(async (known) => {
    const ready = await readyToRun(ctx, template, call, known, false);
    return rendered(ctx, ready, call);
  });
}

async function rendered(ctx: Context, ready: ReadyTemplate, call: TemplateCall): Promise<Json> {
  const { compiled, meter, run } = ready;
  const { budget } = run;
  const started = ctx.now();
  const input = inputOf(ready, call);
  const shown = await meter.compute(() => ({ of: compiled.render(input, run) }));
  const { success, ...more } = await shown.of;
  meter.end();
  const told = {
    success,
    processingTimeMs: Math.round(ctx.now() - started),
    fuel: Math.round(budget.bounds.fuel - Math.max(0, budget.fuel)),
    ...more,
  };
  return asMoved(told as unknown as Json); // Of members that are JSON, with values in any step.
}
