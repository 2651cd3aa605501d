import { one, type Query } from '../http/query.ts'
import { behaviourOf, parseTradePartner, personaOf, type TradePartner } from './persona.ts'

const GAME_APP_ID = '730'
const HOLD_DAYS = 15
const OWN_HOLD_DAYS = 7

/** The page that opens a trade URL, with what clients read from it; or the platform's error page. */
export function renderTradePage(
  query: Query,
  options: {
    /** The account that looks at the page. */
    readonly ownId: string
    readonly saw: (partner: TradePartner) => void
    readonly itemCountOf: (platformId: string) => number
    /** That account has a new authenticator. */
    readonly isOurHeld: boolean
  },
): string {
  const partner = parseTradePartner(one(query, 'partner'), one(query, 'token'))
  if (partner === null) {
    return errorPage('This Trade URL is no longer valid for sending a trade offer.')
  }
  if (partner.platformId === options.ownId) {
    return errorPage('You cannot send a trade offer to yourself.')
  }
  options.saw(partner)
  const { name } = personaOf(partner.partner)
  const behaviour = behaviourOf(partner.token)
  if (behaviour === 'private_inventory') {
    return errorPage(
      `${name} has a private inventory: its privacy settings do not allow trade offers.`,
    )
  }
  return offerPage(partner, {
    itemCount: options.itemCountOf(partner.platformId),
    holdDays: behaviour === 'platform_hold' ? HOLD_DAYS : 0,
    ownHoldDays: options.isOurHeld ? OWN_HOLD_DAYS : 0,
  })
}

function offerPage(
  { partner, platformId }: TradePartner,
  {
    itemCount,
    holdDays,
    ownHoldDays,
  }: { readonly itemCount: number; readonly holdDays: number; readonly ownHoldDays: number },
): string {
  const persona = personaOf(partner)
  const contexts = {
    [GAME_APP_ID]: {
      appid: Number(GAME_APP_ID),
      name: 'Counter-Strike 2',
      asset_count: itemCount,
      trade_permissions: 'FULL',
      rgContexts: {
        '2': { asset_count: itemCount, id: '2', name: 'Backpack' },
        '16': { asset_count: 0, id: '16', name: 'Trade Protected' },
      },
    },
  }
  const avatar = `https://avatars.steamstatic.com/${persona.avatarHash}.jpg`
  return `<!DOCTYPE html>
<html>
<head>
<title>Trade offer with ${persona.name}</title>
</head>
<body>
<div class="trade_partner_header">
<a href="https://steamcommunity.com/profiles/${platformId}"><div class="playerAvatar offline"><img src="${avatar}" data-miniprofile="${partner}"></div></a>
<div class="trade_partner_headline">${persona.name}</div>
</div>
<script type="text/javascript">
	var g_rgAppContextData = [];
	var g_rgPartnerAppContextData = ${JSON.stringify(contexts)};
	var g_strYourPersonaName = "Sandbox Visitor";
	var g_strTradePartnerPersonaName = ${JSON.stringify(persona.name)};
	var g_ulTradePartnerSteamID = '${platformId}';
	var g_bTradePartnerProbation = false;
	var g_daysMyEscrow = ${ownHoldDays};
	var g_daysTheirEscrow = ${holdDays};
	var g_daysBothEscrow = ${Math.max(holdDays, ownHoldDays)};
</script>
</body>
</html>
`
}

function errorPage(message: string): string {
  return `<!DOCTYPE html>
<html>
<head>
<title>Error</title>
</head>
<body>
<div class="error_page_content">
<h2>Error</h2>
<div id="error_msg">
	${message}
</div>
</div>
</body>
</html>
`
}
