/** Looks for what a description leaves out, and for examples that are not of their schema. */
import { type Description, type Node, nodeOf, type Operation, step } from './description.ts';

/** Something of the document, and its JSON Pointer. */
interface Located {
  readonly at: string;
  readonly node: Node;
}

/** What has no description or example, by its JSON Pointer. */
export function missingIn(description: Description): string[] {
  const places = [...schemasOf(description)];
  return [
    ...operationsOf(description).flatMap((each) => missingOf(description, each)),
    ...componentsOf(description, 'headers').flatMap((each) => undescribed(each)),
    ...componentsOf(description, 'parameters').flatMap((each) => undescribed(each)),
    ...places.flatMap((each) => undescribedMembers(description, each)),
  ];
}

function operationsOf(description: Description): Operation[] {
  return description.items.flatMap(({ operations }) => [...operations.values()]);
}

function componentsOf({ document }: Description, sort: string): Located[] {
  const components = nodeOf(nodeOf(document.components)[sort]);
  return Object.entries(components).map(([name, node]) => ({
    at: `/components/${sort}${step(name)}`,
    node: nodeOf(node),
  }));
}

function undescribed({ at, node }: Located): string[] {
  const { description } = node;
  return typeof description === 'string' && description.trim() !== ''
    ? []
    : [`${at}: no description`];
}

function missingOf(description: Description, operation: Operation): string[] {
  const { at, node } = operation;
  const parts = ['operationId', 'summary', 'description', 'x-access-level', 'security', 'tags'];
  return [
    ...parts.filter((part) => node[part] === undefined).map((part) => `${at}: no ${part}`),
    ...listed(description, at, node.parameters, 'parameters').flatMap(undescribed),
    ...contentsOf(description, operation).flatMap((content) =>
      exampleCount(description, content) > 0 ? [] : [`${content.at}: no example`],
    ),
  ];
}

function listed(description: Description, at: string, list: unknown, name: string): Located[] {
  return Array.isArray(list) ? list.map((_, i) => description.resolve(`${at}/${name}/${i}`)) : [];
}

/** Bodies of the request and of every reply. */
function contentsOf(description: Description, { at, node }: Operation): Located[] {
  const responses = Object.keys(nodeOf(node.responses)).map((status) =>
    description.resolve(`${at}/responses/${status}`),
  );
  const bodies = node.requestBody === undefined ? [] : [description.resolve(`${at}/requestBody`)];
  return [...bodies, ...responses].flatMap((each) =>
    Object.entries(nodeOf(each.node.content)).map(([type, content]) => ({
      at: `${each.at}/content${step(type)}`,
      node: nodeOf(content),
    })),
  );
}

function exampleCount(description: Description, { at, node }: Located): number {
  const own = Object.keys(nodeOf(node.examples)).length + (node.example === undefined ? 0 : 1);
  const { examples } = description.resolve(`${at}/schema`).node;
  return own + (Array.isArray(examples) ? examples.length : 0);
}

const WITHIN_LIST = ['anyOf', 'oneOf', 'allOf', 'prefixItems'];
const WITHIN = ['items', 'additionalProperties', 'not'];

/** Every schema, also inside others, once. */
function* schemasOf(description: Description): Generator<Located> {
  for (const place of componentsOf(description, 'schemas')) yield* within(place);
  const contents = [
    ...operationsOf(description).flatMap((each) => contentsOf(description, each)),
    ...operationsOf(description).flatMap(({ at, node }) =>
      listed(description, at, node.parameters, 'parameters'),
    ),
    ...componentsOf(description, 'headers'),
  ];
  const seen = new Set<string>();
  for (const { at, node } of contents) {
    if (seen.has(at)) continue;
    seen.add(at);
    yield* within({ at: `${at}/schema`, node: nodeOf(node.schema) });
  }
}

function* within({ at, node }: Located): Generator<Located> {
  yield { at, node };
  const parts = [
    ...Object.entries(nodeOf(node.properties)).map(([name, each]) => [
      `/properties${step(name)}`,
      each,
    ]),
    ...WITHIN_LIST.flatMap((name) =>
      Object.entries(nodeOf(node[name])).map(([index, each]) => [`/${name}/${index}`, each]),
    ),
    ...WITHIN.map((name) => [`/${name}`, node[name]]),
  ] as const;
  for (const [part, each] of parts) {
    if (typeof each === 'object') yield* within({ at: at + part, node: nodeOf(each) });
  }
}

/** A member's description is its own, or that of what it refers to. */
function undescribedMembers(description: Description, { at, node }: Located): string[] {
  return Object.entries(nodeOf(node.properties)).flatMap(([name, member]) => {
    const place = { at: `${at}/properties${step(name)}`, node: nodeOf(member) };
    // `code` of an error narrows the member that the component describes.
    if (node.allOf !== undefined) return [];
    return undescribed(place).length === 0
      ? []
      : undescribed({ at: place.at, node: description.resolve(place.at).node });
  });
}

/** Examples that are not what their own schema takes, each with its fault. */
export function wrongExamplesIn(description: Description): string[] {
  const told = (place: string, schema: string, value: unknown) => {
    const fault = description.faultOf(schema, value);
    return fault === undefined ? [] : [`${place}: ${fault}`];
  };
  const ofSchemas = [...schemasOf(description)].flatMap(({ at, node }) =>
    Array.isArray(node.examples)
      ? node.examples.flatMap((value, index) => told(`${at}/examples/${index}`, at, value))
      : [],
  );
  const contents = operationsOf(description).flatMap((each) => contentsOf(description, each));
  const holders = [
    ...contents,
    ...componentsOf(description, 'headers'),
    ...componentsOf(description, 'parameters'),
  ];
  const ofHolders = holders.flatMap(({ at, node }) => [
    ...(node.example === undefined ? [] : told(`${at}/example`, `${at}/schema`, node.example)),
    ...Object.keys(nodeOf(node.examples)).flatMap((name) => {
      const { value } = description.resolve(`${at}/examples${step(name)}`).node;
      return told(`${at}/examples/${name}`, `${at}/schema`, value);
    }),
  ]);
  return [...new Set([...ofSchemas, ...ofHolders])];
}
