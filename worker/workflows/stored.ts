/** Definitions of workflows as they are stored: one JSON text per version, secrets sealed. Spec: "Workflow". */
import { isJsonObject, type Json, type JsonObject, setMember } from '../../proto/json.ts';
import { textInPieces } from '../../proto/json-bytes.ts';
import { inOrderOf } from '../../proto/ordered-json.ts';
import { type Pieces, whole } from '../../proto/work/pieces.ts';
import { parseDefinitionInPieces } from '../../proto/written-json.ts';
import { actionsInPieces, actionsOf, isDag } from './definition/dag.ts';
import { HIDDEN, sealedIn, sealedSecret } from './definition/secrets.ts';

/**
 * The member of the insert shape. A graph of nodes is kept as it was given, instead of the actions
 * that it makes; of a definition, whose members are next to it, the names of those that were given.
 */
export const SCHEMA = 'workflow_schema';

/** A definition as it was stored. */
export function storedDefinition(stored: string): JsonObject {
  return whole(storedInPieces(stored));
}

/** As `storedDefinition`, in pieces. */
export function* storedInPieces(stored: string): Pieces<JsonObject> {
  const definition = (yield* parseDefinitionInPieces(stored)) as JsonObject; // It was checked before it was stored.
  yield* readGraph(definition);
  return definition;
}

/** Reads a graph of nodes, where there is one, so that it is at hand for whoever asks for its actions. */
export function* readGraph({ [SCHEMA]: schema }: JsonObject): Pieces<void> {
  if (isJsonObject(schema) && isDag(schema)) yield* actionsInPieces(schema);
}

/** A definition in the shape that is read and run: a graph of nodes is its actions. */
export function runnable(definition: JsonObject): JsonObject {
  const { [SCHEMA]: schema, ...rest } = definition;
  if (!isJsonObject(schema)) return rest;
  return { ...rest, actions: [...actionsOf(schema).actions] };
}

/** As GET shows it: with its actions, and without secrets. */
export function shownDefinition(definition: JsonObject): JsonObject {
  const { [SCHEMA]: schema } = definition;
  const whole = withSecrets(runnable(definition), () => HIDDEN);
  if (schema === undefined) return whole;
  if (!Array.isArray(schema)) return { ...whole, [SCHEMA]: schema };
  const given = Object.entries(whole).filter(([name]) => schema.includes(name));
  return { ...whole, [SCHEMA]: Object.fromEntries(given) };
}

/** As it is stored: every secret that came is sealed, those that are sealed stay. */
export async function sealedDefinition(
  definition: JsonObject,
  seal: (secret: string) => Promise<string>,
): Promise<JsonObject> {
  const known = new Map<string, string>();
  withSecrets(definition, (secret) => {
    if (typeof secret === 'string') known.set(secret, '');
    return secret;
  });
  for (const secret of known.keys()) known.set(secret, await seal(secret));
  return withSecrets(definition, (secret) =>
    typeof secret === 'string' ? sealedSecret(known.get(secret) ?? '') : secret,
  );
}

/**
 * What a client sent back hidden, as it is stored: by the path of the webhook, or by its index where no other has that path now.
 * Of two secrets each is kept at its own place; a single one may go to either place of a list, as a rotation needs it.
 */
export function withKeptSecrets(definition: JsonObject, before: JsonObject): JsonObject {
  const hooks = webhooksIn(before);
  const named = new Set(webhooksIn(definition).map(({ json }) => json.path));
  return eachWebhook(definition, (hook, index) => {
    const old =
      hooks.find(({ json }) => json.path === hook.path) ??
      hooks.find((each) => each.index === index && !named.has(each.json.path));
    const kept = listOf(secretOf(old?.json));
    const only = kept.length === 1 ? kept[0] : undefined;
    return withSecret(hook, (secret, at) =>
      secret === HIDDEN ? (only ?? kept[at] ?? secret) : secret,
    );
  });
}

/** Whether a value is a secret as it is stored, which no client may send. */
export function hasSealed(definition: JsonObject): boolean {
  return webhooksIn(definition).some(({ json }) =>
    listOf(secretOf(json)).some((secret) => sealedIn(secret) !== undefined),
  );
}

/** The JSON text of a definition, in pieces. */
export function definitionText(definition: JsonObject): Pieces<string> {
  return textInPieces(definition);
}

function withSecrets(definition: JsonObject, change: (secret: Json) => Json): JsonObject {
  return eachWebhook(definition, (hook) => withSecret(hook, change));
}

/** Every trigger of type webhook, changed. */
function eachWebhook(
  definition: JsonObject,
  change: (hook: JsonObject, index: number) => JsonObject,
): JsonObject {
  const { trigger } = definition;
  if (trigger === undefined) return definition;
  const changed = (each: Json, index: number) => (isWebhook(each) ? change(each, index) : each);
  const copy = { ...definition };
  setMember(copy, 'trigger', Array.isArray(trigger) ? trigger.map(changed) : changed(trigger, 0));
  return inOrderOf(copy, definition);
}

function webhooksIn({
  trigger,
}: JsonObject): { readonly json: JsonObject; readonly index: number }[] {
  return listOf(trigger).flatMap((json, index) => (isWebhook(json) ? [{ json, index }] : []));
}

function isWebhook(json: Json): json is JsonObject {
  return isJsonObject(json) && json.type === 'webhook';
}

function secretOf(hook: JsonObject | undefined): Json | undefined {
  const { authentication } = hook ?? {};
  return isJsonObject(authentication) ? authentication.secret : undefined;
}

function withSecret(hook: JsonObject, change: (secret: Json, at: number) => Json): JsonObject {
  const { authentication } = hook;
  if (!isJsonObject(authentication) || authentication.secret === undefined) return hook;
  const { secret } = authentication;
  const changed = Array.isArray(secret) ? secret.map(change) : change(secret, 0);
  return { ...hook, authentication: { ...authentication, secret: changed } };
}

function listOf(json: Json | undefined): readonly Json[] {
  if (json === undefined) return [];
  return Array.isArray(json) ? json : [json];
}
