/** Links of the description: where they lead, and what they bring. */
import { type Description, nodeOf, type Operation } from './description.ts';

/** A link of one operation's reply. */
interface Linked {
  /** Id of the operation that has it. */
  readonly from: string;
  /** Id of the one that it leads to. */
  readonly operationId: string;
  /** Expressions by the parameters they are for. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** What the reply is like. */
  readonly example: unknown;
}

/** All links of all operations. */
export function linksIn(description: Description): Linked[] {
  return operationsOf(description).flatMap(({ node }) =>
    Object.values(nodeOf(node.responses)).flatMap((response) => {
      const { content, links } = nodeOf(response);
      const { example } = nodeOf(nodeOf(content)['application/json']);
      return Object.values(nodeOf(links)).map((link) => ({
        from: String(node.operationId),
        operationId: String(nodeOf(link).operationId),
        parameters: nodeOf(nodeOf(link).parameters),
        example,
      }));
    }),
  );
}

/** What is wrong with a link; `undefined` when nothing is. */
export function faultOf(description: Description, link: Linked): string | undefined {
  const target = operationWith(description, link.operationId);
  const source = operationWith(description, link.from);
  if (target === undefined || source === undefined) return 'leads to no operation';
  const known = parametersOf(description, target);
  const own = parametersOf(description, source);
  const missing = [...known].filter(([name, needed]) => needed && !(name in link.parameters));
  if (missing.length > 0) return `leaves out ${missing.map(([name]) => name).join(', ')}`;
  return Object.entries(link.parameters)
    .map(([name, expression]) =>
      known.has(name) ? faultIn(String(expression), own, link.example) : `brings ${name}`,
    )
    .find((fault) => fault !== undefined);
}

function faultIn(
  expression: string,
  own: ReadonlyMap<string, boolean>,
  example: unknown,
): string | undefined {
  const [, parameter] = /^\$request\.path\.(\w+)$/.exec(expression) ?? [];
  if (parameter !== undefined) return own.has(parameter) ? undefined : `has no ${parameter}`;
  const [, pointer] = /^\$response\.body#((?:\/\w+)+)$/.exec(expression) ?? [];
  const found = pointer
    ?.split('/')
    .slice(1)
    .reduce<unknown>((within, name) => nodeOf(within)[name], example);
  return typeof found === 'string' || typeof found === 'number'
    ? undefined
    : `finds nothing by ${expression}`;
}

function operationsOf({ items }: Description): Operation[] {
  return items.flatMap(({ operations }) => [...operations.values()]);
}

function operationWith(description: Description, id: string): Operation | undefined {
  return operationsOf(description).find(({ node }) => node.operationId === id);
}

/** Parameters by name, and whether each is needed. */
function parametersOf(description: Description, { at, node }: Operation): Map<string, boolean> {
  const count = Array.isArray(node.parameters) ? node.parameters.length : 0;
  return new Map(
    Array.from({ length: count }, (_, nth) => {
      const parameter = description.resolve(`${at}/parameters/${nth}`).node;
      return [String(parameter.name), parameter.required === true];
    }),
  );
}
