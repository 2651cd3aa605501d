// The part of Bruno's own package that is used here; it has no types.
declare module '@usebruno/lang' {
  interface Pair {
    readonly name: string
    readonly value: string
    readonly enabled: boolean
  }

  export interface RequestJson {
    readonly meta: { readonly name: string; readonly type: string; readonly seq: number | string }
    readonly http: {
      readonly method: string
      readonly url: string
      readonly body: string
      readonly auth: string
    }
    readonly params?: readonly (Pair & { readonly type: 'query' | 'path' })[]
    readonly headers?: readonly Pair[]
    readonly body?: { readonly json: string }
    readonly docs?: string
  }

  interface CollectionJson {
    readonly meta?: { readonly name: string; readonly seq: number | string }
    readonly auth?: {
      readonly mode: string
      readonly apikey?: { readonly key: string; readonly value: string; readonly placement: string }
    }
    readonly vars?: { readonly req: readonly Pair[] }
    readonly docs?: string
  }

  interface EnvironmentJson {
    readonly variables: readonly (Pair & { readonly secret: boolean })[]
  }

  export function jsonToBruV2(json: RequestJson): string
  export function bruToJsonV2(text: string): RequestJson
  export function jsonToCollectionBru(json: CollectionJson): string
  export function collectionBruToJson(text: string): CollectionJson
  export function envJsonToBruV2(json: EnvironmentJson): string
  export function bruToEnvJsonV2(text: string): EnvironmentJson
}
