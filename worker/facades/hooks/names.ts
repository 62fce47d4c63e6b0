/** Names of deliveries: one that comes again starts nothing. Spec: workflows.md §5, `webhook`. */
import { GatewayError } from '../../../proto/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../proto/json.ts';
import type { Context, PublicContext } from '../../context.ts';
import type { KnownDelivery } from '../../deliveries/object.ts';
import { Fault } from '../../language/expressions/index.ts';
import { costly } from '../../limits/heavy-work.ts';
import { digestOf } from '../../secrets/digest.ts';
import type { Root } from '../../workflows/definition/tree.ts';
import type { WebhookTrigger } from '../../workflows/definition/trigger-tree.ts';
import { budgetOf } from '../../workflows/triggers/start.ts';
import type { Hook } from './find.ts';
import { idHeaderOf } from './schemes.ts';

/** `$` of a webhook's expressions. */
export interface DeliveryRoot extends JsonObject {
  readonly body: Json;
  readonly headers: JsonObject;
  readonly query: JsonObject;
}

/** Members of the body that name a delivery where the definition says nothing. */
const IN_BODY = { stripe: 'id', slack: 'event_id', plain: undefined, standard: undefined } as const;
const encoder = new TextEncoder();

/**
 * What its sender calls a delivery; undefined where they do not name it.
 * @throws GatewayError BAD_REQUEST where the expression for it fails, SERVICE_UNAVAILABLE where too much waits to be computed
 */
export async function deliveryName(
  ctx: PublicContext & Pick<Context, 'place'>,
  { authentication }: WebhookTrigger,
  root: DeliveryRoot,
): Promise<string | undefined> {
  const { id, scheme } = authentication;
  const header = idHeaderOf(authentication)?.toLowerCase();
  if (!id)
    return valueText(header === undefined ? memberOf(root, IN_BODY[scheme]) : root.headers[header]);
  try {
    // JSON is what expressions read, and what they make.
    const work = () => id.evaluate(root as unknown as Root, budgetOf(ctx.env)) as Json | undefined;
    return valueText(await costly(ctx, work));
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown;
    const details = [{ path: id.where, message: thrown.message }];
    throw new GatewayError('BAD_REQUEST', `${id.where}: ${thrown.message}`, { details });
  }
}

function memberOf({ body }: DeliveryRoot, name: string | undefined): Json | undefined {
  if (name === undefined || !isJsonObject(body) || !Object.hasOwn(body, name)) return undefined;
  return body[name];
}

function valueText(value: Json | undefined): string | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/**
 * Keeps the name of a delivery; undefined where it has none.
 * @throws GatewayError QUOTA_EXCEEDED
 */
export async function claimed(
  { env }: Pick<PublicContext, 'env'>,
  { owner, workflow, trigger }: Hook,
  name: string | undefined,
): Promise<(KnownDelivery & { readonly digest: string }) | undefined> {
  if (name === undefined) return undefined;
  const digest = await digestOf(encoder.encode(name));
  const deliveries = env.WEBHOOK_DELIVERIES.getByName(owner.orgUuid);
  const { uuid } = workflow;
  const claim = await deliveries.claim(owner, { workflow: uuid, index: trigger.index, digest });
  if (claim === false) throw noRoom();
  return { ...claim, digest };
}

/** What is to be kept of a delivery or run is more than the organization may have. */
export function noRoom(): GatewayError {
  return new GatewayError('QUOTA_EXCEEDED', "The organization's storage is used up");
}
