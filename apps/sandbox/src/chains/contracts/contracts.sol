// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

// The contracts of the sandbox's chains. None has a constructor or an immutable value: a chain installs
// their runtime code at the addresses that the real contracts have, and then calls `initialize` once.
// Names and symbols are bytes32, so that every argument is a static word.

/// ERC-20 as the standard says: `transfer` returns true or reverts. Anyone may mint: it is a test chain.
contract Token {
    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    bytes32 internal tokenName;
    bytes32 internal tokenSymbol;
    uint8 public decimals;
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    function initialize(bytes32 name_, bytes32 symbol_, uint8 decimals_) external {
        require(tokenSymbol == 0, "already initialized");
        tokenName = name_;
        tokenSymbol = symbol_;
        decimals = decimals_;
    }

    function name() external view returns (string memory) {
        return text(tokenName);
    }

    function symbol() external view returns (string memory) {
        return text(tokenSymbol);
    }

    function mint(address to, uint256 value) external {
        totalSupply += value;
        balanceOf[to] += value;
        emit Transfer(address(0), to, value);
    }

    function transfer(address to, uint256 value) external virtual returns (bool) {
        move(msg.sender, to, value);
        return true;
    }

    function approve(address spender, uint256 value) external returns (bool) {
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external virtual returns (bool) {
        spend(from, value);
        move(from, to, value);
        return true;
    }

    function spend(address from, uint256 value) internal {
        require(allowance[from][msg.sender] >= value, "allowance too low");
        allowance[from][msg.sender] -= value;
    }

    function move(address from, address to, uint256 value) internal virtual {
        require(balanceOf[from] >= value, "balance too low");
        balanceOf[from] -= value;
        balanceOf[to] += value;
        emit Transfer(from, to, value);
    }

    function text(bytes32 word) private pure returns (string memory) {
        uint256 length;
        while (length < 32 && word[length] != 0) length++;
        bytes memory characters = new bytes(length);
        for (uint256 i = 0; i < length; i++) characters[i] = word[i];
        return string(characters);
    }
}

/// As USDC: who is on its issuer's list neither pays nor receives. Anyone may write the list: it is a test chain.
contract ListedToken is Token {
    mapping(address => bool) public isBlacklisted;

    function setListed(address account, bool listed) external {
        isBlacklisted[account] = listed;
    }

    function move(address from, address to, uint256 value) internal override {
        require(!isBlacklisted[from] && !isBlacklisted[to], "Blacklistable: account is blacklisted");
        super.move(from, to, value);
    }
}

/// As USDT on ethereum: `transfer` and `transferFrom` return no data at all, and who is on its list does not pay.
contract SilentToken {
    event Transfer(address indexed from, address indexed to, uint256 value);

    bytes32 internal tokenSymbol;
    uint8 public decimals;
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    mapping(address => bool) public isBlackListed;

    function initialize(bytes32, bytes32 symbol_, uint8 decimals_) external {
        require(tokenSymbol == 0, "already initialized");
        tokenSymbol = symbol_;
        decimals = decimals_;
    }

    function setListed(address account, bool listed) external {
        isBlackListed[account] = listed;
    }

    function name() external pure returns (string memory) {
        return "Tether USD";
    }

    function symbol() external pure returns (string memory) {
        return "USDT";
    }

    function mint(address to, uint256 value) external {
        totalSupply += value;
        balanceOf[to] += value;
        emit Transfer(address(0), to, value);
    }

    function transfer(address to, uint256 value) external {
        move(msg.sender, to, value);
    }

    function approve(address spender, uint256 value) external {
        // The real one demands a reset to zero between two allowances.
        require(value == 0 || allowance[msg.sender][spender] == 0, "reset the allowance first");
        allowance[msg.sender][spender] = value;
    }

    function transferFrom(address from, address to, uint256 value) external {
        require(allowance[from][msg.sender] >= value, "allowance too low");
        allowance[from][msg.sender] -= value;
        move(from, to, value);
    }

    function move(address from, address to, uint256 value) private {
        require(!isBlackListed[from]);
        require(balanceOf[from] >= value, "balance too low");
        balanceOf[from] -= value;
        balanceOf[to] += value;
        emit Transfer(from, to, value);
    }
}

/// Returns false where the standard demands a revert: the transaction succeeds and moves nothing.
contract FalseToken is Token {
    function transfer(address, uint256) external pure override returns (bool) {
        return false;
    }

    function transferFrom(address, address, uint256) external pure override returns (bool) {
        return false;
    }
}

/// Its transfers revert while it is paused.
contract PausableToken is Token {
    bool public paused;

    function setPaused(bool paused_) external {
        paused = paused_;
    }

    function move(address from, address to, uint256 value) internal override {
        require(!paused, "paused");
        super.move(from, to, value);
    }
}

/// One percent of every transfer goes to the contract itself.
contract FeeToken is Token {
    function move(address from, address to, uint256 value) internal override {
        uint256 fee = value / 100;
        super.move(from, address(this), fee);
        super.move(from, to, value - fee);
    }
}

/// As ERC-721: the same first topic as an ERC-20 transfer, but the token id is a fourth topic.
contract Collectible {
    event Transfer(address indexed from, address indexed to, uint256 indexed tokenId);

    function mint(address to, uint256 tokenId) external {
        emit Transfer(address(0), to, tokenId);
    }
}

/// Pays the native coin from inside a call: such transfers are visible in traces only.
contract BatchPayer {
    function payTwo(address payable first, uint256 firstValue, address payable second, uint256 secondValue)
        external
        payable
    {
        send(first, firstValue);
        send(second, secondValue);
    }

    /// The inner payment is undone, the outer call succeeds.
    function payAndUndo(address payable to, uint256 value) external payable {
        try this.payThenRevert(to, value) {} catch {}
    }

    function payThenRevert(address payable to, uint256 value) external {
        require(msg.sender == address(this), "for the contract itself");
        send(to, value);
        revert("undone");
    }

    function send(address payable to, uint256 value) private {
        (bool sent,) = to.call{value: value}("");
        require(sent, "the receiver refused");
    }

    receive() external payable {}
}

/// Refuses every payment of the native coin.
contract RejectingReceiver {
    receive() external payable {
        revert("not accepted");
    }
}

/// The part of Chainlink's aggregator that a reader of prices uses. `updatedAt` is computed from the
/// block, less a set age: a price stays fresh without a transaction a minute.
contract Aggregator {
    uint8 public decimals;
    bytes32 public name;
    int256 public answer;
    uint256 public ageSeconds;

    function initialize(bytes32 name_, bytes32, uint8 decimals_) external {
        require(name == 0, "already initialized");
        name = name_;
        decimals = decimals_;
    }

    function setPrice(int256 answer_, uint256 ageSeconds_) external {
        answer = answer_;
        ageSeconds = ageSeconds_;
    }

    function latestRoundData()
        external
        view
        returns (uint80 roundId, int256 price, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)
    {
        uint256 updated = block.timestamp - ageSeconds;
        return (1, answer, updated, updated, 1);
    }
}
