/** The path of the program that draws the page at /docs. */
import origin from '../../vendor/scalar/origin.json' with { type: 'json' };

/** Where it is served. Other content has another name, so that it may be kept for ever. */
export const RENDERER_PATH = `/docs/scalar-${origin.version}-${origin.sha256.slice(0, 16)}.js`;
