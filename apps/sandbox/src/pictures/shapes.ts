// Outlines of what is traded, by type and weapon, in a square of 256: what bears the finish, what is of
// steel, and lines upon both.

export interface Shape {
  /** Paths that bear the finish. */
  readonly painted: readonly string[]
  /** Paths of dark steel. */
  readonly plain: readonly string[]
  /** Likewise, but upon what is painted. */
  readonly over?: readonly string[]
  /** Lines that divide the whole. */
  readonly lines?: readonly string[]
}

/** `length` is of the barrel, from 0 to 1: two weapons of a type do not look alike. */
export function shapeOf(itemType: string, weapon: string | null, length: number): Shape {
  switch (itemType) {
    case 'Rifle':
      return rifle(length)
    case 'Sniper Rifle':
      return sniperRifle(length)
    case 'Pistol':
      return pistol(length)
    case 'SMG':
      return submachineGun(length)
    case 'Shotgun':
      return shotgun(length)
    case 'Machinegun':
      return machineGun(length)
    case 'Knife':
      return knife(weapon ?? '', length)
    case 'Gloves':
      return GLOVES
    case 'Container':
      return CONTAINER
    case 'Agent':
      return AGENT
    case 'Charm':
      return CHARM
    case 'Music Kit':
      return MUSIC_KIT
    case 'Patch':
      return PATCH
    case 'Collectible':
      return PIN
    case 'Graffiti':
      return GRAFFITI
    case 'Equipment':
      return TASER
    case 'Tool':
      return TOOL
    default:
      return STICKER
  }
}

/** A rectangle with the corners cut. */
const box = (x: number, y: number, width: number, height: number, cut = 3): string =>
  `M${x + cut} ${y}h${width - 2 * cut}l${cut} ${cut}v${height - 2 * cut}l${-cut} ${cut}h${2 * cut - width}l${-cut} ${-cut}v${2 * cut - height}z`

const circle = (x: number, y: number, radius: number): string =>
  `M${x - radius} ${y}a${radius} ${radius} 0 1 0 ${2 * radius} 0a${radius} ${radius} 0 1 0 ${-2 * radius} 0z`

function rifle(length: number): Shape {
  const end = 216 + 26 * length
  return {
    painted: [
      'M14 112l50 -12v34l-34 14l-16 -4z',
      box(62, 98, 84, 34),
      box(142, 100, 58, 22),
      'M104 132h26q4 34 22 54l-26 10q-18 -24 -22 -64z',
    ],
    plain: [
      box(198, 106, end - 198, 9, 1),
      box(end - 14, 102, 14, 17, 2),
      'M70 132h22l-8 36l-20 -4z',
      box(84, 88, 40, 10, 2),
      box(188, 90, 6, 14, 1),
    ],
    lines: ['M72 116h64', 'M152 111h40', 'M92 102v24'],
  }
}

function sniperRifle(length: number): Shape {
  const end = 226 + 20 * length
  return {
    painted: ['M8 120l62 -12v28l-26 4l-18 22h-18z', box(66, 106, 92, 26), box(152, 108, 30, 18)],
    plain: [
      box(180, 112, end - 180, 8, 1),
      box(end - 12, 109, 12, 14, 2),
      'M82 132h18l-8 34h-18z',
      box(112, 132, 22, 26),
      box(78, 82, 74, 15, 5),
      box(88, 96, 8, 11, 1),
      box(132, 96, 8, 11, 1),
      'M168 126l-10 40h6l12 -40z',
    ],
    lines: ['M74 118h78', 'M96 89h40'],
  }
}

function pistol(length: number): Shape {
  const end = 178 + 40 * length
  return {
    painted: [box(52, 84, end - 52, 34, 4), 'M62 116h96l-6 16h-44l-12 62l-40 -6z'],
    plain: ['M104 132h42l-4 22q-24 8 -38 -2z', box(60, 76, 10, 9, 1), box(end - 16, 77, 8, 8, 1)],
    lines: ['M60 94v16', 'M68 94v16', 'M76 94v16', 'M100 101h60', 'M70 150h26', 'M66 166h26'],
  }
}

function submachineGun(length: number): Shape {
  const end = 190 + 36 * length
  return {
    painted: [box(48, 92, 118, 36), box(160, 96, 30, 22), 'M92 128h30l6 58h-30z'],
    plain: [
      box(188, 102, end - 188, 11, 2),
      'M18 96l32 6v10l-18 2v30h-14z',
      'M56 128h22l-8 40l-20 -4z',
      box(70, 80, 66, 12, 3),
    ],
    lines: ['M58 110h98', 'M100 140h18', 'M102 154h18', 'M104 168h18'],
  }
}

function shotgun(length: number): Shape {
  const end = 218 + 24 * length
  return {
    painted: ['M10 118l56 -16v30l-40 22h-16z', box(64, 98, 62, 30), box(136, 114, 62, 18, 4)],
    plain: [box(124, 100, end - 124, 11, 2), box(124, 114, 14, 8, 1), 'M72 128h20l-10 34h-18z'],
    lines: ['M72 112h46', 'M146 118v10', 'M156 118v10', 'M166 118v10', 'M176 118v10'],
  }
}

function machineGun(length: number): Shape {
  const end = 214 + 26 * length
  return {
    painted: ['M12 108l48 -8v36l-30 10h-18z', box(58, 94, 96, 38), box(92, 132, 52, 48, 6)],
    plain: [
      box(152, 102, end - 152, 14, 2),
      box(end - 12, 98, 12, 22, 2),
      'M64 132h20l-8 34h-18z',
      box(80, 82, 52, 8, 2),
      'M186 116l-14 52h6l18 -52z',
    ],
    lines: ['M68 112h76', 'M100 148h36', 'M162 106v8', 'M174 106v8', 'M186 106v8'],
  }
}

function knife(weapon: string, length: number): Shape {
  if (/karambit|talon|claw/i.test(weapon)) {
    return {
      painted: ['M70 128q26 -76 128 -70q-54 18 -78 62q-10 22 -26 26z'],
      plain: [
        'M94 146l-24 -18q-34 26 -36 66l26 8q2 -34 34 -56z',
        `${circle(44, 204, 18)}${circle(44, 204, 9)}`,
      ],
      lines: ['M88 124q24 -44 78 -58'],
    }
  }
  if (/daggers/i.test(weapon)) {
    return {
      painted: ['M64 40l34 84h-34z', 'M192 40l-34 84h34z'],
      plain: [
        box(58, 124, 46, 12),
        box(66, 136, 28, 72, 5),
        box(152, 124, 46, 12),
        box(162, 136, 28, 72, 5),
      ],
      lines: ['M76 68v50', 'M180 68v50'],
    }
  }
  const tip = 28 + 16 * length
  return {
    painted: [`M92 148L196 ${tip + 12}q22 -14 18 10q-16 54 -96 118z`],
    plain: ['M84 140l40 38l-10 8l-38 -36z', 'M76 156l28 28l-42 46q-22 6 -30 -14z'],
    lines: [`M112 148L192 ${tip + 34}`, 'M64 176l22 20', 'M52 190l22 20'],
  }
}

const GLOVES: Shape = {
  painted: [
    'M40 150v-74q0 -12 10 -12t10 12v40v-62q0 -12 10 -12t10 12v58v-60q0 -12 10 -12t10 12v62v-44q0 -12 9 -12t9 12v86l-8 44h-50z',
    'M216 150v-74q0 -12 -10 -12t-10 12v40v-62q0 -12 -10 -12t-10 12v58v-60q0 -12 -10 -12t-10 12v62v-44q0 -12 -9 -12t-9 12v86l8 44h50z',
  ],
  plain: [box(54, 194, 60, 26, 4), box(142, 194, 60, 26, 4)],
  lines: ['M46 150h60', 'M150 150h60', 'M60 124v18', 'M80 124v18', 'M176 124v18', 'M196 124v18'],
}
const CONTAINER: Shape = {
  painted: [
    'M28 92l100 -34l100 34l-100 34z',
    'M28 98l96 34v82l-96 -36z',
    'M228 98l-96 34v82l96 -36z',
  ],
  plain: [],
  over: [box(104, 116, 48, 34, 6)],
  lines: ['M52 118v64', 'M204 118v64', 'M76 76l100 34', 'M128 126v18'],
}
const AGENT: Shape = {
  painted: ['M40 232q4 -62 58 -74l30 22l30 -22q54 12 58 74z'],
  plain: [circle(128, 92, 46), box(84, 86, 88, 22, 8)],
  lines: ['M128 180v50', 'M86 176l12 54', 'M170 176l-12 54'],
}
const CHARM: Shape = {
  painted: ['M80 112h96l18 40l-34 62h-64l-34 -62z', circle(128, 152, 4)],
  plain: [`${circle(128, 60, 28)}${circle(128, 60, 18)}`, box(122, 84, 12, 30, 3)],
  lines: ['M84 150h88', 'M128 118v90'],
}
const MUSIC_KIT: Shape = {
  painted: [box(40, 48, 176, 160, 10)],
  plain: [],
  over: [circle(128, 128, 52), box(60, 60, 34, 10, 3)],
  lines: [circle(128, 128, 38), circle(128, 128, 24), circle(128, 128, 6)],
}
const PATCH: Shape = {
  painted: ['M128 28l88 32v72q0 62 -88 96q-88 -34 -88 -96v-72z'],
  plain: [],
  lines: ['M128 44l72 26v62q0 50 -72 78q-72 -28 -72 -78v-62z'],
}
const PIN: Shape = {
  painted: [circle(128, 128, 88)],
  plain: [],
  over: ['M128 72l16 38l42 4l-32 26l10 40l-36 -22l-36 22l10 -40l-32 -26l42 -4z'],
  lines: [circle(128, 128, 76)],
}
const GRAFFITI: Shape = {
  painted: [box(88, 84, 80, 140, 10)],
  plain: [
    box(98, 62, 60, 24, 8),
    box(114, 44, 28, 18, 3),
    circle(62, 56, 8),
    circle(40, 76, 5),
    circle(48, 38, 4),
  ],
  lines: ['M96 116h64', 'M96 192h64'],
}
const TASER: Shape = {
  painted: [box(56, 84, 132, 42, 6), 'M72 126h48l-10 74h-44z'],
  plain: [box(186, 90, 26, 10, 2), box(186, 110, 26, 10, 2), 'M118 128h28l-6 24h-26z'],
  lines: ['M72 104h98', 'M82 150h24', 'M80 166h24'],
}
const TOOL: Shape = {
  painted: ['M36 92h150l40 36l-40 36h-150z'],
  plain: [],
  over: [circle(196, 128, 9)],
  lines: ['M58 116h96', 'M58 138h72'],
}
const STICKER: Shape = {
  painted: [circle(128, 128, 84)],
  plain: [],
  over: ['M186 190q22 -26 26 -56q-40 2 -46 70z'],
  lines: [circle(128, 128, 70)],
}
