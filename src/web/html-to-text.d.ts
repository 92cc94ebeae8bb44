// Types of html-to-text, which has none: only what html.ts uses.

declare module 'html-to-text' {
  export interface Selector {
    readonly selector: string
    readonly format?: string
    readonly options?: Readonly<Record<string, unknown>>
  }

  /** A node of the page; a text has no name. */
  export interface Element {
    readonly name?: string
    readonly attribs?: Readonly<Record<string, string>>
    readonly children: readonly Element[]
    readonly parent: Element | null
  }

  export interface Builder {
    openBlock(options: { readonly leadingLineBreaks: number }): void
    closeBlock(options: { readonly trailingLineBreaks: number; readonly blockTransform?: (text: string) => string }): void
  }

  export type Walk = (children: readonly Element[], builder: Builder) => void

  export type Formatter = (element: Element, walk: Walk, builder: Builder) => void

  interface Options {
    readonly wordwrap: false
    readonly baseElements: { readonly selectors: readonly string[]; readonly returnDomByDefault: boolean }
    readonly limits: { readonly maxDepth: number; readonly maxChildNodes: number; readonly ellipsis: string }
    readonly selectors: readonly Selector[]
    readonly formatters: Readonly<Record<string, Formatter>>
  }

  export function compile(options: Options): (html: string) => string
}
