/** The operations of the OpenAPI document, and which of them a request is one of. */
import * as z from 'zod';

/** Of the document, what is looked at. */
const Document = z.object({
  paths: z.record(z.string(), z.record(z.string(), z.unknown())),
});

const METHODS = new Set(['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']);

/** Names of operations: `POST /api/v1/endpoints/{endpoint}/read`. */
export interface Operations {
  readonly names: readonly string[];
  /** Undefined for a request that the document has no operation for. */
  of(method: string, path: string): string | undefined;
}

/**
 * Reads a document.
 * @throws ZodError when it is none
 */
export function operationsOf(document: unknown): Operations {
  const { paths } = Document.parse(document);
  const all = Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item)
      .filter((method) => METHODS.has(method))
      .map((method) => ({ name: `${method.toUpperCase()} ${path}`, pattern: patternOf(path) })),
  );
  // A path without parameters is meant rather than one that has some in the same place.
  const sorted = all.toSorted((a, b) => placesOf(a.name) - placesOf(b.name));
  return {
    names: all.map(({ name }) => name),
    of(method, path) {
      return sorted.find(({ name, pattern }) => name.startsWith(`${method} `) && pattern.test(path))
        ?.name;
    },
  };
}

function placesOf(name: string): number {
  return name.split('{').length;
}

function patternOf(path: string): RegExp {
  const parts = path.split(/\{[^}]*\}/).map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(`^${parts.join('[^/]*')}$`);
}
