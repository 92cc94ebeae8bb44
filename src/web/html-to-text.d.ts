// Types of html-to-text, which has none: only what html.ts uses.

declare module 'html-to-text' {
  interface Selector {
    readonly selector: string
    readonly format?: string
    readonly options?: Readonly<Record<string, unknown>>
  }

  interface Options {
    readonly wordwrap: false
    readonly baseElements: { readonly selectors: readonly string[]; readonly returnDomByDefault: boolean }
    readonly limits: { readonly maxDepth: number; readonly maxChildNodes: number; readonly ellipsis: string }
    readonly selectors: readonly Selector[]
  }

  export function compile(options: Options): (html: string) => string
}
