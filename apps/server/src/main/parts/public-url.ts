import type { Config } from '../config.ts'

/** The origin that browsers see. */
export const publicUrlOf = (
  { publicUrl, http }: Pick<Config, 'publicUrl' | 'http'>,
  port: number | null = null,
): string => publicUrl ?? `http://localhost:${port ?? http.port}`
