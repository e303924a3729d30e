<?xml version="1.0" encoding="utf-8"?>
<!-- A notice as HTML. What is added, removed or changed is marked by a class and by a word.
     Parameters: `whole` for a document, not its article only; `compatible` (yes, no, or unknown);
     `told`, differences in words, a line each. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <xsl:output method="html" encoding="utf-8" indent="no" doctype-system="about:legacy-compat"/>
  <xsl:param name="whole"/>
  <xsl:param name="compatible"/>
  <xsl:param name="told"/>
  <xsl:variable name="content" select="/*/NotificationMessageBody/*"/>
  <xsl:variable name="before" select="$content/ServiceDescription[not(@type='CHANGED_SERVICE')]"/>
  <xsl:variable name="after" select="$content/ServiceDescription[@type='CHANGED_SERVICE']"/>
  <xsl:variable name="both" select="$before and $after"/>

  <xsl:template match="/">
    <xsl:choose>
      <xsl:when test="$whole">
        <html lang="en">
          <head>
            <meta name="color-scheme" content="light dark"/>
            <meta name="viewport" content="width=device-width"/>
            <title><xsl:call-template name="title"/></title>
            <style>
:root { color-scheme: light dark; --ink: #1b1f24; --page: #fff; --faint: #5b6470; --line: #d5dae1;
  --good: #0b6b2e; --good-page: #e3f5e8; --bad: #a3161e; --bad-page: #fde8e8;
  --new: #7a4b00; --new-page: #fff3d6; }
@media (prefers-color-scheme: dark) { :root { --ink: #e7eaee; --page: #14171b; --faint: #a2abb6;
  --line: #363c45; --good: #7fd79b; --good-page: #12331d; --bad: #ff9b9b; --bad-page: #431a1c;
  --new: #f3c66d; --new-page: #3a2c0c; } }
body { margin: 0; background: var(--page); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
.notice { max-width: 60rem; margin: 0 auto; padding: 1.5rem 1rem 3rem; overflow-wrap: anywhere; }
.notice h1 { font-size: 1.5rem; margin: 0 0 .25rem; } .notice h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
.notice dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; margin: 1rem 0; }
.notice dt { color: var(--faint); } .notice dd { margin: 0; }
.notice table { border-collapse: collapse; width: 100%; }
.notice th, .notice td { border-bottom: 1px solid var(--line); padding: .3rem .5rem; text-align: left; vertical-align: top; }
.notice th { color: var(--faint); font-weight: 600; }
.notice code { font: .9em ui-monospace, monospace; white-space: pre-wrap; }
.notice del { color: var(--bad); } .notice ins { color: var(--good); text-decoration: none; }
.notice .added { background: var(--good-page); } .notice .removed { background: var(--bad-page); }
.notice .changed { background: var(--new-page); }
.notice .mark { font-weight: 600; } .notice .kind { color: var(--faint); margin: 0; }
.notice .text { white-space: pre-line; }
            </style>
          </head>
          <body><xsl:call-template name="notice"/></body>
        </html>
      </xsl:when>
      <xsl:otherwise><xsl:call-template name="notice"/></xsl:otherwise>
    </xsl:choose>
  </xsl:template>

  <xsl:template name="name">
    <xsl:value-of select="$content/ServiceDescription[1]/ServiceTypeDescription/TraderServiceType/@Name"/>
  </xsl:template>

  <xsl:template name="title">
    <xsl:choose>
      <xsl:when test="$content[self::RemovalOfService]">Removal of a service: </xsl:when>
      <xsl:when test="$content[self::InstantiationOfService]">New service: </xsl:when>
      <xsl:when test="$content[self::ChangeOfPropertyValueOfService]">Change of properties: </xsl:when>
      <xsl:otherwise>Change of service type: </xsl:otherwise>
    </xsl:choose>
    <xsl:call-template name="name"/>
  </xsl:template>

  <xsl:template name="notice">
    <article class="notice">
      <h1><xsl:call-template name="title"/></h1>
      <p class="kind">
        <xsl:choose>
          <xsl:when test="/*/*/TimeIndicator/@value='Immediate_Notification'">This has happened.</xsl:when>
          <xsl:otherwise>This is announced.</xsl:otherwise>
        </xsl:choose>
      </p>
      <xsl:if test="$compatible='yes'"><p class="added"><span class="mark">Compatible</span>: clients of the old service can use the new one.</p></xsl:if>
      <xsl:if test="$compatible='no'"><p class="removed"><span class="mark">Not compatible</span>: clients of the old service must change.</p></xsl:if>
      <dl>
        <xsl:call-template name="fact"><xsl:with-param name="name">Notice</xsl:with-param><xsl:with-param name="value" select="/*/*/MessageID"/></xsl:call-template>
        <xsl:call-template name="fact"><xsl:with-param name="name">Priority</xsl:with-param><xsl:with-param name="value" select="/*/*/Priority"/></xsl:call-template>
        <xsl:call-template name="fact"><xsl:with-param name="name">Takes place</xsl:with-param><xsl:with-param name="value" select="$content/Time"/></xsl:call-template>
        <xsl:call-template name="fact"><xsl:with-param name="name">Valid until</xsl:with-param><xsl:with-param name="value" select="/*/*/ExpiryTime"/></xsl:call-template>
        <xsl:call-template name="fact"><xsl:with-param name="name">Reason</xsl:with-param><xsl:with-param name="value" select="$content/Reason"/></xsl:call-template>
        <xsl:call-template name="fact"><xsl:with-param name="name">Objective</xsl:with-param><xsl:with-param name="value" select="$content/Objective"/></xsl:call-template>
        <xsl:call-template name="fact"><xsl:with-param name="name">More</xsl:with-param><xsl:with-param name="value" select="/*/AdditionalData"/></xsl:call-template>
      </dl>
      <xsl:if test="$told"><ul><xsl:call-template name="lines"><xsl:with-param name="text" select="$told"/></xsl:call-template></ul></xsl:if>
      <xsl:call-template name="values"/>
      <xsl:call-template name="types"/>
      <xsl:call-template name="interface"/>
      <h2>Objects</h2>
      <dl>
        <xsl:for-each select="$content/ServiceDescription">
          <dt><xsl:choose><xsl:when test="@type='CHANGED_SERVICE'">after</xsl:when><xsl:when test="$both">before</xsl:when><xsl:otherwise>object</xsl:otherwise></xsl:choose></dt>
          <dd><code><xsl:value-of select="ObjectReference"/></code></dd>
        </xsl:for-each>
      </dl>
    </article>
  </xsl:template>

  <xsl:template name="fact">
    <xsl:param name="name"/><xsl:param name="value"/>
    <xsl:if test="string($value)"><dt><xsl:value-of select="$name"/></dt><dd class="text"><xsl:value-of select="$value"/></dd></xsl:if>
  </xsl:template>

  <xsl:template name="lines">
    <xsl:param name="text"/>
    <li><xsl:value-of select="substring-before(concat($text, '&#10;'), '&#10;')"/></li>
    <xsl:if test="contains($text, '&#10;')">
      <xsl:call-template name="lines"><xsl:with-param name="text" select="substring-after($text, '&#10;')"/></xsl:call-template>
    </xsl:if>
  </xsl:template>

  <!-- A row: what it is, its value before and after, and in a word what happened. -->
  <xsl:template name="row">
    <xsl:param name="what"/><xsl:param name="old"/><xsl:param name="new"/>
    <xsl:param name="was" select="true()"/><xsl:param name="is" select="true()"/>
    <xsl:variable name="mark">
      <xsl:choose>
        <xsl:when test="not($is)">removed</xsl:when>
        <xsl:when test="not($was)">added</xsl:when>
        <xsl:when test="string($old) != string($new)">changed</xsl:when>
        <xsl:otherwise>same</xsl:otherwise>
      </xsl:choose>
    </xsl:variable>
    <tr class="{$mark}">
      <td><code><xsl:value-of select="$what"/></code></td>
      <td>
        <xsl:if test="$was and $mark != 'same'"><del><code><xsl:value-of select="$old"/></code></del></xsl:if>
        <xsl:if test="$mark = 'changed'"><xsl:text> → </xsl:text></xsl:if>
        <xsl:if test="$is and $mark != 'same'"><ins><code><xsl:value-of select="$new"/></code></ins></xsl:if>
        <xsl:if test="$mark = 'same'"><code><xsl:value-of select="$old"/></code></xsl:if>
      </td>
      <td class="mark"><xsl:if test="$mark != 'same'"><xsl:value-of select="$mark"/></xsl:if></td>
    </tr>
  </xsl:template>

  <!-- Properties. -->
  <xsl:template name="values">
    <xsl:variable name="modified" select="$content/ModifyProperties/Property"/>
    <xsl:variable name="deleted" select="$content/DeleteProperties/Property"/>
    <xsl:variable name="old" select="$content/ServiceDescription[1]/Property"/>
    <xsl:if test="$old or $modified or $deleted or $after/Property">
      <h2>Properties</h2>
      <table>
        <tr><th>property</th><th>value</th><th>what happened</th></tr>
        <xsl:for-each select="$old">
          <xsl:variable name="name" select="@Name"/>
          <xsl:call-template name="row">
            <xsl:with-param name="what" select="$name"/>
            <xsl:with-param name="old" select="@Value"/>
            <xsl:with-param name="new">
              <xsl:choose>
                <xsl:when test="$both"><xsl:value-of select="$after/Property[@Name=$name]/@Value"/></xsl:when>
                <xsl:when test="$modified[@Name=$name]"><xsl:value-of select="$modified[@Name=$name]/@Value"/></xsl:when>
                <xsl:otherwise><xsl:value-of select="@Value"/></xsl:otherwise>
              </xsl:choose>
            </xsl:with-param>
            <xsl:with-param name="is" select="not($deleted[@Name=$name]) and not($both and not($after/Property[@Name=$name]))"/>
          </xsl:call-template>
        </xsl:for-each>
        <xsl:for-each select="$modified[not(@Name=$old/@Name)] | $after[$both]/Property[not(@Name=$old/@Name)]">
          <xsl:call-template name="row">
            <xsl:with-param name="what" select="@Name"/>
            <xsl:with-param name="new" select="@Value"/>
            <xsl:with-param name="was" select="false()"/>
          </xsl:call-template>
        </xsl:for-each>
      </table>
    </xsl:if>
  </xsl:template>

  <!-- Service types. -->
  <xsl:template name="types">
    <xsl:variable name="old" select="$content/ServiceDescription[1]/ServiceTypeDescription/TraderServiceType"/>
    <xsl:variable name="new" select="$content/ServiceDescription[last()]/ServiceTypeDescription/TraderServiceType"/>
    <h2>Service type</h2>
    <table>
      <tr><th>part</th><th>definition</th><th>what happened</th></tr>
      <xsl:call-template name="row">
        <xsl:with-param name="what">name</xsl:with-param>
        <xsl:with-param name="old" select="$old/@Name"/><xsl:with-param name="new" select="$new/@Name"/>
      </xsl:call-template>
      <xsl:for-each select="$old/BaseServiceTypes/BaseServiceType | $new[$both]/BaseServiceTypes/BaseServiceType[not(@Name=$old/BaseServiceTypes/*/@Name)]">
        <xsl:call-template name="row">
          <xsl:with-param name="what">base</xsl:with-param>
          <xsl:with-param name="old" select="@Name"/><xsl:with-param name="new" select="@Name"/>
          <xsl:with-param name="was" select="@Name=$old/BaseServiceTypes/*/@Name"/>
          <xsl:with-param name="is" select="@Name=$new/BaseServiceTypes/*/@Name"/>
        </xsl:call-template>
      </xsl:for-each>
      <xsl:for-each select="$old/PropertyDef | $new[$both]/PropertyDef[not(@Name=$old/PropertyDef/@Name)]">
        <xsl:variable name="name" select="@Name"/>
        <xsl:variable name="was" select="$old/PropertyDef[@Name=$name]"/>
        <xsl:variable name="is" select="$new/PropertyDef[@Name=$name]"/>
        <xsl:call-template name="row">
          <xsl:with-param name="what" select="concat('property ', $name)"/>
          <xsl:with-param name="old" select="concat($was/@Mode, ' ', $was/@Type)"/>
          <xsl:with-param name="new" select="concat($is/@Mode, ' ', $is/@Type)"/>
          <xsl:with-param name="was" select="boolean($was)"/>
          <xsl:with-param name="is" select="boolean($is)"/>
        </xsl:call-template>
      </xsl:for-each>
    </table>
  </xsl:template>

  <!-- Interfaces. -->
  <xsl:template name="interface">
    <xsl:variable name="old" select="$content/ServiceDescription[1]/ServiceTypeDescription/Interface"/>
    <xsl:variable name="new" select="$content/ServiceDescription[last()]/ServiceTypeDescription/Interface"/>
    <xsl:if test="$old or $new">
      <h2>Interface</h2>
      <table>
        <tr><th>part</th><th>definition</th><th>what happened</th></tr>
        <xsl:call-template name="row">
          <xsl:with-param name="what">id</xsl:with-param>
          <xsl:with-param name="old" select="$old/@Id"/><xsl:with-param name="new" select="$new/@Id"/>
          <xsl:with-param name="was" select="boolean($old)"/><xsl:with-param name="is" select="boolean($new)"/>
        </xsl:call-template>
        <xsl:for-each select="$old/BaseInterfaces/BaseInterface | $new[$both]/BaseInterfaces/BaseInterface[not(@Id=$old/BaseInterfaces/BaseInterface/@Id)]">
          <xsl:call-template name="row">
            <xsl:with-param name="what">base</xsl:with-param>
            <xsl:with-param name="old" select="@Name"/><xsl:with-param name="new" select="@Name"/>
            <xsl:with-param name="was" select="@Id=$old/BaseInterfaces/BaseInterface/@Id"/>
            <xsl:with-param name="is" select="@Id=$new/BaseInterfaces/BaseInterface/@Id"/>
          </xsl:call-template>
        </xsl:for-each>
        <xsl:for-each select="$old/*[self::Constant or self::Attribute or self::Operation]">
          <xsl:variable name="kind" select="name()"/><xsl:variable name="name" select="@Name"/>
          <xsl:variable name="is" select="$new/*[name()=$kind and @Name=$name]"/>
          <xsl:call-template name="row">
            <xsl:with-param name="what" select="$name"/>
            <xsl:with-param name="old"><xsl:apply-templates select="."/></xsl:with-param>
            <xsl:with-param name="new"><xsl:apply-templates select="$is"/></xsl:with-param>
            <xsl:with-param name="is" select="boolean($is)"/>
          </xsl:call-template>
        </xsl:for-each>
        <xsl:for-each select="$new[$both]/*[self::Constant or self::Attribute or self::Operation]">
          <xsl:variable name="kind" select="name()"/><xsl:variable name="name" select="@Name"/>
          <xsl:if test="not($old/*[name()=$kind and @Name=$name])">
            <xsl:call-template name="row">
              <xsl:with-param name="what" select="$name"/>
              <xsl:with-param name="new"><xsl:apply-templates select="."/></xsl:with-param>
              <xsl:with-param name="was" select="false()"/>
            </xsl:call-template>
          </xsl:if>
        </xsl:for-each>
      </table>
    </xsl:if>
  </xsl:template>

  <xsl:template match="Constant">const <xsl:value-of select="concat(@Type, ' ', @Name, ' = ', @Value)"/></xsl:template>
  <xsl:template match="Attribute"><xsl:if test="@Mode='READONLY'">readonly </xsl:if>attribute <xsl:value-of select="concat(@Type, ' ', @Name)"/></xsl:template>
  <xsl:template match="Operation">
    <xsl:if test="@Mode='ONEWAY'">oneway </xsl:if>
    <xsl:value-of select="concat(@Type, ' ', @Name, '(')"/>
    <xsl:for-each select="Parameter">
      <xsl:if test="position() > 1">, </xsl:if>
      <xsl:choose><xsl:when test="@Mode='OUT'">out </xsl:when><xsl:when test="@Mode='INOUT'">inout </xsl:when><xsl:otherwise>in </xsl:otherwise></xsl:choose>
      <xsl:value-of select="concat(@Type, ' ', @Name)"/>
    </xsl:for-each>
    <xsl:text>)</xsl:text>
    <xsl:for-each select="Exception">
      <xsl:choose><xsl:when test="position() = 1"> raises (</xsl:when><xsl:otherwise>, </xsl:otherwise></xsl:choose>
      <xsl:value-of select="@Name"/>
      <xsl:if test="position() = last()">)</xsl:if>
    </xsl:for-each>
  </xsl:template>
</xsl:stylesheet>
