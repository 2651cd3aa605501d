import type { FastifyReply } from 'fastify'

/** Closes the connection without an answer: the caller cannot know what happened. */
export function cut(reply: FastifyReply): void {
  reply.hijack()
  reply.raw.destroy()
}

/** What a proxy in front of a broken market sends, whatever the status. */
export function sendHtml(reply: FastifyReply, status: number, title: string): FastifyReply {
  return reply
    .code(status)
    .type('text/html; charset=utf-8')
    .send(
      `<html>\r\n<head><title>${title}</title></head>\r\n<body>\r\n<center><h1>${title}</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n`,
    )
}
